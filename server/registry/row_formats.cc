#include "server/registry/row_formats.h"

#include "server/registry/content_type.h"
#include "server/registry/csv_rows.h"
#include "server/registry/json_rows.h"
#include "server/registry/line_reader.h"
#include "server/registry/row_collector.h"

namespace mlprof {
namespace {

Result<Rows> DecodeTextRows(std::string_view body) {
  RowCollector rows;
  LineReader lines(body);
  while (rows.WantsMore()) {
    const auto line = lines.Next();
    if (!line) break;
    if (!line->empty()) rows.AddText(*line);
  }
  return std::move(rows).Finish();
}

}  // namespace

Result<Rows> DecodeRows(std::string_view content_type, std::string_view body) {
  const ContentType type = ParseContentType(content_type);
  const std::string charset = type.Parameter("charset");
  if (!charset.empty() && charset != "utf-8" && charset != "us-ascii") {
    return Fail(ErrorCode::kUnsupportedMedia,
                "the charset " + charset + " is not taken; send UTF-8");
  }
  if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
  if (type.type == "text/plain") return DecodeTextRows(body);
  if (type.type == "application/jsonl") return DecodeJsonLines(body);
  if (type.type == "application/json") return DecodeJsonRows(body);
  if (type.type == "text/csv") return DecodeCsvRows(body, type.Parameter("header") == "present");
  return Fail(ErrorCode::kUnsupportedMedia,
              "a dataset comes as text/plain, application/jsonl, text/csv or application/json");
}

}  // namespace mlprof
