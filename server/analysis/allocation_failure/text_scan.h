// Reads a text from left to right: words, numbers, sizes. A view on it; no copies. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/units/bytes.h"

namespace mlprof::server {

class TextScan {
 public:
  explicit TextScan(std::string_view text) : left_(text) {}

  std::string_view left() const { return left_; }
  /// Whether it goes on with `words`, which are then behind it.
  bool Skip(std::string_view words);
  /// Goes to behind the next `words` within the line, or within `most` characters. False, and
  /// nothing is read, where there are none.
  bool SkipTo(std::string_view words);
  bool SkipTo(std::string_view words, std::size_t most);
  /// As far as one of `ends`, or the end of the line, and 300 characters at most: a hostile line
  /// may be one word. What ends it is not read itself.
  std::string_view Until(std::string_view ends);
  /// The line from here on; the next line comes then.
  std::string_view Line();
  bool AtEnd() const { return left_.empty(); }

  /// A whole number; nullopt where none stands here or it does not fit.
  std::optional<std::int64_t> Integer();
  /// "64", "1.50GiB", "1.5 GB", "18.9G", "304 bytes": all suffixes are powers of 1024, as the
  /// frameworks mean them.
  std::optional<Bytes> Size();

 private:
  std::string_view left_;
};

/// The line of `text` around `at`.
std::string_view LineAt(std::string_view text, std::size_t at);

}  // namespace mlprof::server
