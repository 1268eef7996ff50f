// A small kernel text file that stays open and is read again and again from its start: a kept
// descriptor costs a sixth of open, read and close.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/os/unique_fd.h"

namespace mlprof::agent {

class KeptFile {
 public:
  /// A file that is not there reads as absent, for ever.
  explicit KeptFile(const std::string& path);

  bool present() const { return static_cast<bool>(fd_); }
  /// Its content, at most 16 KiB of it, in a buffer shared by all kept files of the thread: the
  /// view ends with the next read of any of them.
  std::optional<std::string_view> Read() const;
  /// A file that holds one number; "max" is absent.
  std::optional<std::int64_t> ReadNumber() const;

 private:
  UniqueFd fd_;
};

/// The whole of a file that is read once, at most 4 MiB; "" where it cannot be read.
std::string ReadWholeFile(const std::string& path);
/// The same of an open one, from where it stands.
std::string ReadWhole(const UniqueFd& file);

/// Leading decimal digits as a number.
std::optional<std::int64_t> ParseNumber(std::string_view text);

/// Calls `visit(key, value)` for every line "key value"; other lines are skipped.
template <class Visit>
void ForEachPair(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    if (const auto value = ParseNumber(line.substr(space + 1)))
      visit(line.substr(0, space), *value);
  }
}

}  // namespace mlprof::agent
