// The cursors of lists that go by a row's number downwards.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "common/result/result.h"
#include "server/storage/page.h"

namespace mlprof {

/// The number below which the page starts. kInvalidArgument for a cursor that is none of ours.
inline Result<std::int64_t> SequenceBefore(const PageRequest& page) {
  if (page.cursor.empty()) return std::numeric_limits<std::int64_t>::max();
  std::int64_t before = 0;
  const char* end = page.cursor.data() + page.cursor.size();
  const auto [stop, error] = std::from_chars(page.cursor.data(), end, before);
  if (error != std::errc() || stop != end || before < 1) {
    return Fail(Error(ErrorCode::kInvalidArgument, "the cursor is none this list has given",
                      {{"/cursor", "is none this list has given"}}));
  }
  return before;
}

/// Cuts what was read for `top` + 1 down to `top`; `sequences` are the numbers of `values`.
template <class T>
Page<T> CutToPage(std::vector<T> values, const std::vector<std::int64_t>& sequences, int top) {
  Page<T> page;
  const auto limit = static_cast<std::size_t>(top);
  if (values.size() > limit) {
    values.erase(values.begin() + top, values.end());
    page.next_cursor = std::to_string(sequences[limit - 1]);
  }
  page.value = std::move(values);
  return page;
}

}  // namespace mlprof
