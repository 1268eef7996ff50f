// Lines of a text, without their LF or CRLF. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace mlprof::server {

class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// nullopt behind the last line; a final line end opens no further line.
  std::optional<std::string_view> Next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

 private:
  std::string_view rest_;
};

}  // namespace mlprof::server
