// A slice of a list, newest first unless said otherwise. Ends early where its items are long: the
// cursor alone says whether there are more. Pure.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server {

struct PageRequest {
  int top = 100;       // 1 to 1000
  std::string cursor;  // opaque, from the page before; "" is the first page
};

template <class T>
struct Page {
  std::vector<T> value;
  std::optional<std::string> next_cursor;
};

// The cursors of lists that go by a row's number downwards.

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

/// Gathers the page of a list whose rows come in its order, `top` + 1 at most.
template <class T>
class PageOf {
 public:
  explicit PageOf(int top) : top_(static_cast<std::size_t>(top)) {}

  /// Whether a row of this size, stored, still belongs to the page; else there is a next one.
  bool Takes(std::size_t bytes) {
    bytes_ += bytes;
    const bool fits = page_.value.empty() || (page_.value.size() < top_ && bytes_ <= kMostBytes);
    if (!fits) page_.next_cursor = std::to_string(last_);
    return fits;
  }
  void Add(T item, std::int64_t sequence) {
    page_.value.push_back(std::move(item));
    last_ = sequence;
  }
  Page<T> Take() { return std::move(page_); }

 private:
  // A document is a few kilobytes, and may be a megabyte.
  static constexpr std::size_t kMostBytes = 4 << 20;

  const std::size_t top_;
  std::size_t bytes_ = 0;
  std::int64_t last_ = 0;
  Page<T> page_;
};

}  // namespace mlprof::server
