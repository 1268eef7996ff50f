// A page of a list that is in memory already; the cursor is the index of its first item. Pure.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "server/storage/page.h"

namespace mlprof::server {

/// kInvalidArgument for a cursor that is none of this list.
template <class T>
Result<Page<T>> Slice(const std::vector<T>& all, const PageRequest& request) {
  std::size_t first = 0;
  if (!request.cursor.empty()) {
    const char* end = request.cursor.data() + request.cursor.size();
    const auto [stop, error] = std::from_chars(request.cursor.data(), end, first);
    if (error != std::errc() || stop != end || first > all.size()) {
      return Fail(Error(ErrorCode::kInvalidArgument, "the cursor is none this list has given",
                        {{"/cursor", "is none this list has given"}}));
    }
  }
  const std::size_t last = std::min(all.size(), first + static_cast<std::size_t>(request.top));
  Page<T> page;
  page.value.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                    all.begin() + static_cast<std::ptrdiff_t>(last));
  if (last < all.size()) page.next_cursor = std::to_string(last);
  return page;
}

}  // namespace mlprof::server
