#include "agent/sampling/kept_file.h"

#include <fcntl.h>

#include <charconv>

namespace mlprof::agent {

KeptFile::KeptFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

std::optional<std::string_view> KeptFile::Read() const {
  static thread_local std::array<char, 16384> buffer;
  if (!fd_) return std::nullopt;
  const ssize_t n = ::pread(fd_.get(), buffer.data(), buffer.size(), 0);
  if (n < 0) return std::nullopt;
  return std::string_view(buffer.data(), static_cast<std::size_t>(n));
}

std::optional<std::int64_t> KeptFile::ReadNumber() const {
  const auto text = Read();
  return text ? ParseNumber(*text) : std::nullopt;
}

std::string ReadWholeFile(const std::string& path) {
  return ReadWhole(UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
}

std::string ReadWhole(const UniqueFd& file) {
  constexpr std::size_t kMax = 4u << 20;  // maps of a process with 40,000 mappings
  std::string text;
  std::array<char, 4096> chunk;
  ssize_t n = 0;
  while (file && text.size() < kMax && (n = ::read(file.get(), chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return text;
}

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace mlprof::agent
