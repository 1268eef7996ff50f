#include "server/registry/json_rows.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "common/json/json.h"
#include "common/text/base64.h"
#include "common/text/utf8.h"
#include "server/registry/row_formats.h"
#include "server/registry/row_sink.h"

namespace mlprof::server {
namespace {

// A row may be one large array of numbers. It is scanned without building anything, so the number
// of its values needs no limit; and whether a key may come twice is for the model to say.
const JsonLimits kRowLimits{.max_bytes = static_cast<std::size_t>(kMaxDatasetText.count()),
                            .max_depth = 64,
                            .max_nodes = std::numeric_limits<std::size_t>::max(),
                            .unique_keys = false};

// One JSON value that stands for a row, told event by event: a string, {"base64":"…"}, or another.
class RowValue {
 public:
  /// `depth` is that of the row's own value.
  explicit RowValue(std::size_t depth) : depth_(depth) {}

  void Hear(JsonEvent event, std::size_t depth, std::string& text) {
    if (depth == depth_) {
      if (event == JsonEvent::kString) text_ = std::move(text);
      is_string_ |= event == JsonEvent::kString;
      is_object_ |= event == JsonEvent::kObject;
    } else if (depth == depth_ + 1 && event == JsonEvent::kKey) {
      ++members_;
      in_base64_ = text == "base64";
    } else if (depth == depth_ + 1 && event == JsonEvent::kString && in_base64_) {
      text_ = std::move(text);
      has_base64_ = true;
    }
  }

  bool IsString() const { return is_string_; }
  bool IsBase64() const { return is_object_ && members_ == 1 && has_base64_; }
  /// The string, or the base64 text.
  std::string& text() { return text_; }

 private:
  std::size_t depth_;
  bool is_string_ = false;
  bool is_object_ = false;
  bool in_base64_ = false;
  bool has_base64_ = false;
  int members_ = 0;
  std::string text_;
};

void AddBase64(RowCollector& rows, const std::string& text) {
  auto bytes = DecodeBase64(text);
  bytes ? rows.AddBytes(std::move(*bytes)) : rows.Refuse("is not base64");
}

void AddLine(RowCollector& rows, std::string_view line) {
  if (FirstInvalidUtf8(line)) return rows.AddText(line);  // refused there, with the place
  RowValue value(0);
  const Status read =
      ScanJson(line, kRowLimits, [&](JsonEvent event, std::size_t depth, std::string& text) {
        value.Hear(event, depth, text);
        return true;
      });
  if (!read) return rows.Refuse(read.error().message());
  if (value.IsBase64()) return AddBase64(rows, value.text());
  rows.AddBytes(value.IsString() ? std::move(value.text()) : std::string(line));
}

Error BadField(std::string pointer, std::string detail) {
  return Error(ErrorCode::kInvalidArgument, pointer + " " + detail, {{pointer, detail}});
}

// {"rows":[…]}, row by row.
class RowsDocument {
 public:
  explicit RowsDocument(RowCollector& rows) : rows_(rows) {}

  bool Hear(JsonEvent event, std::size_t depth, std::string& text) {
    if (depth == 0) return HearDocument(event);
    if (depth == 1) return HearMember(event, text);
    if (!in_rows_) return true;
    row_.Hear(event, depth, text);
    const bool ends = depth == kRowDepth && event != JsonEvent::kObject &&
                      event != JsonEvent::kArray && event != JsonEvent::kKey;
    if (ends) EndRow();
    return rows_.WantsMore();
  }

  /// What is wrong with the document around its rows.
  Status Check() const {
    if (fault_) return Fail(*fault_);
    if (!has_rows_) return Fail(BadField("/rows", "must be an array"));
    return {};
  }
  bool in_rows() const { return in_rows_; }
  std::size_t rows_heard() const { return heard_; }

 private:
  static constexpr std::size_t kRowDepth = 2;

  bool HearDocument(JsonEvent event) {
    if (event == JsonEvent::kObject || event == JsonEvent::kObjectEnd) return true;
    return Fault(BadField("", "must be an object with \"rows\""));
  }
  bool HearMember(JsonEvent event, const std::string& text) {
    if (event == JsonEvent::kKey) {
      if (text != "rows") return Fault(BadField("/" + text, "is not known"));
      return !has_rows_ || Fault(BadField("/rows", "is there twice"));
    }
    if (event == JsonEvent::kArrayEnd) {
      in_rows_ = false;
      return true;
    }
    if (event != JsonEvent::kArray) return Fault(BadField("/rows", "must be an array"));
    has_rows_ = in_rows_ = true;
    return true;
  }
  void EndRow() {
    if (row_.IsString()) {
      rows_.AddBytes(std::move(row_.text()));
    } else if (row_.IsBase64()) {
      AddBase64(rows_, row_.text());
    } else {
      rows_.Refuse("must be a string or {\"base64\":\"…\"}");
    }
    ++heard_;
    row_ = RowValue(kRowDepth);
  }
  bool Fault(Error fault) {
    fault_ = std::move(fault);
    return false;
  }

  RowCollector& rows_;
  RowValue row_{kRowDepth};
  bool in_rows_ = false;
  bool has_rows_ = false;
  std::size_t heard_ = 0;
  std::optional<Error> fault_;
};

Status ReadRowsDocument(std::string_view body, RowsDocument& document) {
  return ScanJson(body, kRowLimits, [&](JsonEvent event, std::size_t depth, std::string& text) {
    return document.Hear(event, depth, text);
  });
}

// Names the row that holds the byte at `at`, by counting the rows of the text before it.
Error NotUtf8(std::string_view body, std::size_t at) {
  KeptRows unused;
  RowCollector before(unused);
  RowsDocument document(before);
  (void)ReadRowsDocument(body.substr(0, at), document);
  return BadField(document.in_rows() ? "/rows/" + std::to_string(document.rows_heard()) : "/rows",
                  "is not UTF-8; send bytes as {\"base64\":\"…\"}");
}

}  // namespace

void AddJsonLine(RowCollector& rows, std::string_view line) {
  if (line.find_first_not_of(" \t") != std::string_view::npos) AddLine(rows, line);
}

Status DecodeJsonRows(std::string_view body, RowSink& sink) {
  if (const auto at = FirstInvalidUtf8(body)) return Fail(NotUtf8(body, *at));
  RowCollector rows(sink);
  RowsDocument document(rows);
  MLPROF_TRY(ReadRowsDocument(body, document));
  MLPROF_TRY(document.Check());
  return std::move(rows).Finish();
}

}  // namespace mlprof::server
