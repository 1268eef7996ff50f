#include "server/registry/row_formats.h"

#include "server/registry/content_type.h"
#include "server/registry/csv_rows.h"
#include "server/registry/json_rows.h"
#include "server/registry/line_reader.h"
#include "server/registry/row_collector.h"

namespace mlprof::server {
namespace {

void AddTextLine(RowCollector& rows, std::string_view line) {
  if (!line.empty()) rows.AddText(line);
}

Status DecodeLines(LineTaker take, std::string_view body, RowSink& sink) {
  RowCollector rows(sink);
  LineReader lines(body);
  while (rows.WantsMore()) {
    const auto line = lines.Next();
    if (!line) break;
    take(rows, *line);
  }
  return std::move(rows).Finish();
}

}  // namespace

Result<LineTaker> LinesOf(std::string_view content_type) {
  const ContentType type = ParseContentType(content_type);
  const std::string charset = type.Parameter("charset");
  if (!charset.empty() && charset != "utf-8" && charset != "us-ascii") {
    return Fail(ErrorCode::kUnsupportedMedia,
                "the charset " + charset + " is not taken; send UTF-8");
  }
  if (type.type == "text/plain") return &AddTextLine;
  if (type.type == "application/jsonl") return &AddJsonLine;
  if (type.type == "application/json" || type.type == "text/csv") return nullptr;
  return Fail(ErrorCode::kUnsupportedMedia,
              "a dataset comes as text/plain, application/jsonl, text/csv or application/json");
}

Status DecodeRows(std::string_view content_type, std::string_view body, RowSink& rows) {
  MLPROF_LET(take, LinesOf(content_type));
  if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
  if (take != nullptr) return DecodeLines(take, body, rows);
  const ContentType type = ParseContentType(content_type);
  if (type.type == "application/json") return DecodeJsonRows(body, rows);
  return DecodeCsvRows(body, type.Parameter("header") == "present", rows);
}

}  // namespace mlprof::server
