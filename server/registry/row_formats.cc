#include "server/registry/row_formats.h"

#include <optional>
#include <string>

#include "server/registry/content_type.h"
#include "server/registry/json_rows.h"
#include "server/registry/row_sink.h"

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

namespace {

struct Record {
  std::string text;
  bool blank = false;  // nothing on the line, not even quotes
};

// Reads records of one field each.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  /// The message says what is wrong with the record.
  tl::expected<Record, std::string> Next() { return rest_.front() == '"' ? Quoted() : Plain(); }

 private:
  tl::expected<Record, std::string> Plain() {
    const std::size_t end = std::min(rest_.find_first_of("\n,\""), rest_.size());
    if (end < rest_.size() && rest_[end] == ',') return tl::unexpected(SecondColumn());
    if (end < rest_.size() && rest_[end] == '"') {
      return tl::unexpected<std::string>("has a quote in a field that is not quoted");
    }
    std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (field.ends_with('\r')) field.remove_suffix(1);
    return Record{std::string(field), field.empty()};
  }

  tl::expected<Record, std::string> Quoted() {
    Record record;
    rest_.remove_prefix(1);
    for (;;) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) {
        return tl::unexpected<std::string>("has a quote that is never closed");
      }
      record.text += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      record.text += '"';
      rest_.remove_prefix(1);
    }
    if (rest_.starts_with("\r\n") || rest_ == "\r") rest_.remove_prefix(1);
    if (rest_.starts_with(',')) return tl::unexpected(SecondColumn());
    if (!rest_.empty() && rest_.front() != '\n') {
      return tl::unexpected<std::string>("goes on behind its closing quote");
    }
    if (!rest_.empty()) rest_.remove_prefix(1);
    return record;
  }

  static std::string SecondColumn() {
    return "has a second column; quote a field that holds a comma";
  }

  std::string_view rest_;
};

}  // namespace

Status DecodeCsvRows(std::string_view body, bool has_header, RowSink& sink) {
  RowCollector rows(sink);
  CsvReader reader(body);
  bool in_header = has_header;
  while (!reader.AtEnd() && rows.WantsMore()) {
    auto record = reader.Next();
    if (!record && in_header) {
      return Fail(Error(ErrorCode::kInvalidArgument, "the header " + record.error(),
                        {{"/rows", "the header " + record.error()}}));
    }
    if (!record) {
      rows.Refuse(std::move(record.error()));
      break;
    }
    if (record->blank) continue;
    if (!in_header) rows.AddText(record->text);
    in_header = false;
  }
  return std::move(rows).Finish();
}

}  // namespace mlprof::server
