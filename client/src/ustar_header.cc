#include "client/src/ustar_header.h"

#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

namespace mlprof {
namespace {

constexpr std::size_t kNameSize = 100;
constexpr std::size_t kPrefixOffset = 345;
constexpr std::size_t kPrefixSize = 155;
constexpr std::int64_t kLargestOctalSize = (std::int64_t{1} << 33) - 1;  // 11 octal digits

using Block = std::array<char, kTarBlock>;

void Put(Block& block, std::size_t offset, std::string_view text) {
  text.copy(block.data() + offset, text.size());
}

void PutOctal(Block& block, std::size_t offset, int digits, std::int64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%0*llo", digits, static_cast<unsigned long long>(value));
  Put(block, offset, text.data());
}

// {prefix, name} at a slash such that both fit.
std::optional<std::pair<std::string, std::string>> Split(const std::string& path) {
  if (path.size() <= kNameSize) return std::pair(std::string(), path);
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::size_t rest = path.size() - slash - 1;
    if (slash <= kPrefixSize && rest > 0 && rest <= kNameSize) {
      return std::pair(path.substr(0, slash), path.substr(slash + 1));
    }
  }
  return std::nullopt;
}

std::string OneBlock(const std::string& prefix, const std::string& name, char type, int mode,
                     std::int64_t size) {
  Block block{};
  Put(block, 0, name);
  PutOctal(block, 100, 7, mode);
  PutOctal(block, 108, 7, 0);
  PutOctal(block, 116, 7, 0);
  PutOctal(block, 124, 11, size);
  PutOctal(block, 136, 11, 0);
  Put(block, 148, "        ");
  block[156] = type;
  Put(block, 257, std::string_view("ustar\00000", 8));
  Put(block, kPrefixOffset, prefix);
  std::int64_t sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  PutOctal(block, 148, 6, sum);
  block[154] = '\0';
  return std::string(block.data(), block.size());
}

// "LENGTH key=value\n", where LENGTH counts itself.
std::string PaxRecord(const std::string& key, const std::string& value) {
  const std::size_t body = key.size() + value.size() + 3;
  std::size_t length = body;
  while (length != body + std::to_string(length).size()) {
    length = body + std::to_string(length).size();
  }
  return std::to_string(length) + " " + key + "=" + value + "\n";
}

}  // namespace

std::string TarPadding(std::int64_t size) {
  return std::string(static_cast<std::size_t>((kTarBlock - size % kTarBlock) % kTarBlock), '\0');
}

std::string TarHeader(const TarEntry& entry) {
  const bool folder = entry.type == TarEntryType::kFolder;
  const std::string path = folder ? entry.path + "/" : entry.path;
  const auto split = Split(path);
  std::string records;
  if (!split) records += PaxRecord("path", path);
  if (entry.size > kLargestOctalSize) records += PaxRecord("size", std::to_string(entry.size));

  std::string out;
  if (!records.empty()) {
    const auto size = static_cast<std::int64_t>(records.size());
    out = OneBlock("", "pax_header", 'x', 0644, size) + records + TarPadding(size);
  }
  const int mode = folder || entry.executable ? 0755 : 0644;
  const std::int64_t size = entry.size > kLargestOctalSize ? 0 : entry.size;
  const auto names = split.value_or(std::pair(std::string(), path.substr(0, kNameSize)));
  return out + OneBlock(names.first, names.second, static_cast<char>(entry.type), mode, size);
}

}  // namespace mlprof
