#include "common/tar/pax_records.h"

#include <charconv>

namespace mlprof {
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
