#include "server/registry/json_rows.h"

#include <optional>
#include <string>

#include "common/json/json.h"
#include "server/registry/line_reader.h"
#include "server/registry/row_collector.h"
#include "server/registry/row_formats.h"
#include "server/registry/text_checks.h"

namespace mlprof {
namespace {

// A row may be one large array of numbers, so the values are bounded by the text alone.
JsonLimits LimitsFor(std::string_view text) {
  return {.max_bytes = static_cast<std::size_t>(kMaxDatasetUpload.count()),
          .max_depth = 64,
          .max_nodes = text.size() + 1};
}

bool IsBase64Object(const Json& value) {
  return value.is_object() && value.size() == 1 && value.contains("base64") &&
         value["base64"].is_string();
}

void AddBase64(RowCollector& rows, const Json& value) {
  auto bytes = DecodeBase64(value["base64"].get_ref<const std::string&>());
  bytes ? rows.AddBytes(std::move(*bytes)) : rows.Refuse("is not base64");
}

void AddLine(RowCollector& rows, std::string_view line) {
  if (FirstInvalidUtf8(line)) return rows.AddText(line);  // refused there, with the place
  const auto value = ParseJson(line, LimitsFor(line));
  if (!value) return rows.Refuse(value.error().message());
  if (IsBase64Object(*value)) return AddBase64(rows, *value);
  rows.AddBytes(value->is_string() ? value->get<std::string>() : std::string(line));
}

Error BadField(std::string pointer, std::string detail) {
  return Error(ErrorCode::kInvalidArgument, pointer + " " + detail, {{pointer, detail}});
}

// Which row the byte at `at` stands in: the text up to there is closed and counted.
std::optional<std::size_t> RowAt(std::string_view body, std::size_t at) {
  for (const char* closing : {"\"]}", "\"}]}"}) {
    const std::string closed = std::string(body.substr(0, at)) + closing;
    const auto json = ParseJson(closed, LimitsFor(closed));
    if (json && json->is_object() && json->contains("rows") && (*json)["rows"].is_array()) {
      return (*json)["rows"].size() - 1;
    }
  }
  return std::nullopt;
}

Error NotUtf8(std::string_view body, std::size_t at) {
  const auto row = RowAt(body, at);
  return BadField(row ? "/rows/" + std::to_string(*row) : "/rows",
                  "is not UTF-8; send bytes as {\"base64\":\"…\"}");
}

}  // namespace

Result<Rows> DecodeJsonLines(std::string_view body) {
  RowCollector rows;
  LineReader lines(body);
  while (rows.WantsMore()) {
    const auto line = lines.Next();
    if (!line) break;
    if (line->find_first_not_of(" \t") != std::string_view::npos) AddLine(rows, *line);
  }
  return std::move(rows).Finish();
}

Result<Rows> DecodeJsonRows(std::string_view body) {
  if (const auto at = FirstInvalidUtf8(body)) return Fail(NotUtf8(body, *at));
  auto json = ParseJson(body, LimitsFor(body));
  if (!json) return Fail(json.error());
  if (!json->is_object()) return Fail(BadField("", "must be an object with \"rows\""));
  for (const auto& [key, value] : json->items()) {
    if (key != "rows") return Fail(BadField("/" + key, "is not known"));
  }
  if (!json->contains("rows") || !(*json)["rows"].is_array()) {
    return Fail(BadField("/rows", "must be an array"));
  }
  RowCollector rows;
  for (const Json& value : (*json)["rows"]) {
    if (!rows.WantsMore()) break;
    if (value.is_string()) {
      rows.AddBytes(value.get<std::string>());
    } else if (IsBase64Object(value)) {
      AddBase64(rows, value);
    } else {
      rows.Refuse("must be a string or {\"base64\":\"…\"}");
    }
  }
  return std::move(rows).Finish();
}

}  // namespace mlprof
