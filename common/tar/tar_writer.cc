#include "common/tar/tar_writer.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "common/tar/tar_header.h"

namespace mlprof {
namespace {

constexpr std::size_t kNameSize = 100;
constexpr std::size_t kPrefixSize = 155;
constexpr std::size_t kPiece = 256 << 10;

struct Names {
  std::string prefix;
  std::string name;
};

// Cut at the first slash such that both parts fit.
std::optional<Names> Split(const std::string& path, LongPaths long_paths) {
  if (path.size() <= kNameSize) return Names{"", path};
  if (long_paths == LongPaths::kInPax) return std::nullopt;
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::size_t rest = path.size() - slash - 1;
    if (slash <= kPrefixSize && rest > 0 && rest <= kNameSize) {
      return Names{path.substr(0, slash), path.substr(slash + 1)};
    }
  }
  return std::nullopt;
}

std::string Octal(std::int64_t value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
  return text;
}

std::string Block(const Names& names, char type, bool executable, std::int64_t size) {
  std::string block(kTarBlock, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    block.replace(at, text.size(), text);
  };
  put(0, names.name);
  put(100, executable ? "0000755" : "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, Octal(size, 11));
  put(136, "00000000000");
  put(148, "        ");
  block[156] = type;
  put(257, "ustar");
  put(263, "00");
  put(345, names.prefix);
  std::int64_t sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, Octal(sum, 6) + '\0');
  return block;
}

// "LENGTH key=value\n", in which LENGTH counts itself.
std::string PaxRecord(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

std::string Padding(std::int64_t size) {
  const auto over = static_cast<std::size_t>(size) % kTarBlock;
  return std::string(over == 0 ? 0 : kTarBlock - over, '\0');
}

}  // namespace

Status TarWriter::Header(const TarEntry& entry, char type) {
  const auto names = Split(entry.path, long_paths_);
  const bool large = entry.size > kLargestOctalSize;
  std::string records;
  if (!names) records += PaxRecord("path", entry.path);
  if (large) records += PaxRecord("size", std::to_string(entry.size));
  if (!records.empty()) {
    const auto size = static_cast<std::int64_t>(records.size());
    const char* name = long_paths_ == LongPaths::kSplit ? "pax_header" : "pax";
    MLPROF_TRY(output_(Block({"", name}, 'x', false, size) + records + Padding(size)));
  }
  return output_(Block(names.value_or(Names{"", entry.path.substr(0, kNameSize)}), type,
                       entry.executable, large ? 0 : entry.size));
}

Status TarWriter::AddFolder(const std::string& path) { return Header({path + "/", true, 0}, '5'); }

Status TarWriter::AddFile(const TarEntry& entry, ByteSource& content) {
  MLPROF_TRY(Header(entry, '0'));
  std::vector<char> piece(static_cast<std::size_t>(
      std::clamp(entry.size, std::int64_t{1}, static_cast<std::int64_t>(kPiece))));
  for (std::int64_t left = entry.size; left > 0;) {
    const auto wanted = std::min(left, static_cast<std::int64_t>(piece.size()));
    MLPROF_LET(got, ReadFully(content, std::span(piece).first(static_cast<std::size_t>(wanted))));
    if (got == 0) return Fail(Internal("the content of " + entry.path + " ended early"));
    MLPROF_TRY(output_({piece.data(), got}));
    left -= static_cast<std::int64_t>(got);
  }
  return output_(Padding(entry.size));
}

Status TarWriter::Finish() { return output_(std::string(2 * kTarBlock, '\0')); }

}  // namespace mlprof
