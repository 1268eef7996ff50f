#include "common/tar/tar_header.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace mlprof {
namespace {

using BlockView = std::span<const char, kTarBlock>;

std::string_view Field(BlockView block, std::size_t offset, std::size_t size) {
  return {block.data() + offset, size};
}

// Up to the first NUL.
std::string_view TextField(BlockView block, std::size_t offset, std::size_t size) {
  const std::string_view field = Field(block, offset, size);
  return field.substr(0, field.find('\0'));
}

// Only zeros may stand behind the name's end: other readers could take them for a part of it.
bool IsPaddedWithZeros(std::string_view field) {
  const std::size_t end = field.find('\0');
  return end == std::string_view::npos ||
         field.find_first_not_of('\0', end) == std::string_view::npos;
}

// Octal digits between optional spaces, ended by spaces, NULs or the field's end.
std::optional<std::int64_t> Octal(std::string_view field) {
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  std::int64_t value = 0;
  std::size_t digits = 0;
  while (digits < field.size() && field[digits] >= '0' && field[digits] <= '7') {
    value = value * 8 + (field[digits] - '0');
    ++digits;
  }
  const std::string_view rest = field.substr(digits);
  const bool clean = rest.find_first_not_of(std::string_view(" \0", 2)) == std::string_view::npos;
  return digits > 0 && clean ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> Size(std::string_view field) {
  if ((field.front() & 0x80) == 0) return Octal(field);
  // Base 256: a positive number of up to 63 bits.
  if (static_cast<unsigned char>(field.front()) != 0x80) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : field.substr(1)) {
    if (value >> 55 != 0) return std::nullopt;
    value = value * 256 + static_cast<unsigned char>(c);
  }
  return value;
}

std::int64_t Checksum(BlockView block) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool in_field = i >= 148 && i < 156;  // counts as spaces
    sum += in_field ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

}  // namespace

bool IsZeroBlock(BlockView block) {
  return std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; });
}

Result<TarHeader> DecodeTarHeader(BlockView block) {
  if (Octal(Field(block, 148, 8)) != Checksum(block)) {
    return Fail(InvalidArgument("a header's checksum is wrong: this is no tar, or a damaged one"));
  }
  const std::string_view magic = Field(block, 257, 8);
  const bool posix = magic == std::string_view(
                                  "ustar\0"
                                  "00",
                                  8);
  if (!posix && magic != std::string_view("ustar  \0", 8)) {
    return Fail(InvalidArgument("the tar is in an old format; make it with --format=ustar or pax"));
  }
  if (!IsPaddedWithZeros(Field(block, 0, 100)) ||
      (posix && !IsPaddedWithZeros(Field(block, 345, 155)))) {
    return Fail(InvalidArgument("a header of the tar has a NUL in its name"));
  }
  TarHeader header;
  header.name = TextField(block, 0, 100);
  const std::string_view prefix = posix ? TextField(block, 345, 155) : std::string_view();
  if (!prefix.empty()) header.name = std::string(prefix) + "/" + header.name;
  header.type = block[156];
  const auto size = Size(Field(block, 124, 12));
  if (!size) return Fail(InvalidArgument("the size of \"" + header.name + "\" is no number"));
  header.size = *size;
  return header;
}

namespace {

Error Damaged() { return InvalidArgument("a pax header of the tar is damaged"); }

std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole && text.front() != '-' ? std::optional(value) : std::nullopt;
}

// Takes the first record off `text`.
Result<std::string_view> TakeRecord(std::string_view& text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return Fail(Damaged());
  const auto length = Number(text.substr(0, space));
  if (!length || *length <= static_cast<std::int64_t>(space) + 1 ||
      *length > static_cast<std::int64_t>(text.size())) {
    return Fail(Damaged());
  }
  const auto end = static_cast<std::size_t>(*length);
  if (text[end - 1] != '\n') return Fail(Damaged());
  const std::string_view record = text.substr(space + 1, end - space - 2);
  text.remove_prefix(end);
  return record;
}

}  // namespace

Result<PaxRecords> DecodePaxRecords(std::string_view text) {
  PaxRecords records;
  while (!text.empty()) {
    MLPROF_LET(record, TakeRecord(text));
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos || equals == 0) return Fail(Damaged());
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key.starts_with("GNU.sparse.")) {
      return Fail(InvalidArgument("the tar holds a sparse file; make it without --sparse"));
    }
    if (key == "path") {
      if (records.path) return Fail(InvalidArgument("a pax header gives two paths"));
      records.path = value;
    } else if (key == "size") {
      const auto size = Number(value);
      if (records.size || !size) return Fail(InvalidArgument("a pax header gives a bad size"));
      records.size = size;
    }
  }
  return records;
}

}  // namespace mlprof
