#include "client/include/mlprof/rows_file.h"

#include <fstream>
#include <sstream>

#include "client/src/json_fields.h"
#include "common/text/ascii.h"
#include "common/text/base64.h"

namespace mlprof::client {
namespace {

Result<std::string> RowOfJson(const Json& value, std::string_view text) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.size() == 1 && value.contains("base64")) {
    auto bytes = DecodeBase64(TextField(value, "base64"));
    if (!bytes) return Fail(InvalidArgument("not base64"));
    return std::move(*bytes);
  }
  return std::string(text);
}

Rows Lines(std::string_view text) {
  Rows rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) rows.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

Result<Rows> JsonLines(std::string_view text) {
  Rows rows = Lines(text);
  for (std::string& row : rows) {
    MLPROF_LET(value, ParseJson(row));
    MLPROF_LET(decoded, RowOfJson(value, row));
    row = std::move(decoded);
  }
  return rows;
}

Result<Rows> JsonArray(std::string_view text) {
  MLPROF_LET(json, ParseJson(text, {text.size() + 1, 64, 20'000'000}));
  Rows rows;
  const auto found = json.find("rows");
  if (found == json.end()) return Fail(InvalidArgument("no rows"));
  for (const Json& value : *found) {
    MLPROF_LET(row, RowOfJson(value, ""));
    rows.push_back(std::move(row));
  }
  return rows;
}

// RFC 4180 with one column: a row may be quoted, then "" is a quote and line ends are its own.
Result<Rows> CsvColumn(std::string_view text) {
  Rows rows;
  std::size_t at = 0;
  while (at < text.size()) {
    std::string row;
    const bool quoted = text[at] == '"';
    if (quoted) {
      for (++at; at < text.size(); ++at) {
        if (text[at] != '"') {
          row += text[at];
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          row += text[at++];
        } else {
          break;
        }
      }
      ++at;
    }
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view rest = at < end ? text.substr(at, end - at) : std::string_view();
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.find(',') != std::string_view::npos) return Fail(InvalidArgument("two columns"));
    row += rest;
    if (quoted || !row.empty()) rows.push_back(std::move(row));
    at = end + 1;
  }
  return rows;
}

Result<Rows> WithoutHeader(Result<Rows> rows) {
  if (rows && !rows->empty()) rows->erase(rows->begin());
  return rows;
}

const char* CsvMediaType(CsvHeader header) {
  if (header == CsvHeader::kPresent) return "text/csv;header=present";
  return header == CsvHeader::kNone ? "text/csv;header=absent" : "text/csv";
}

}  // namespace

std::string RowsMediaType(const std::filesystem::path& file, CsvHeader header) {
  const std::string extension = Lowercase(file.extension().string());
  if (extension == ".csv") return CsvMediaType(header);
  if (extension == ".jsonl") return "application/jsonl";
  if (extension == ".json") return "application/json";
  return "text/plain";
}

Result<Rows> ReadRows(const std::filesystem::path& file, CsvHeader header) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  if (!in) return Fail(InvalidArgument("cannot read " + file.string()));
  const std::string text = std::move(content).str();
  std::string_view body = text;
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  const std::string type = RowsMediaType(file);
  if (type == "text/csv") {
    return header == CsvHeader::kPresent ? WithoutHeader(CsvColumn(body)) : CsvColumn(body);
  }
  if (type == "application/jsonl") return JsonLines(body);
  if (type == "application/json") return JsonArray(body);
  return Lines(body);
}

}  // namespace mlprof::client
