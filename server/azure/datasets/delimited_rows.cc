#include "server/azure/datasets/delimited_rows.h"

#include <algorithm>

#include "common/text/utf8.h"
#include "server/registry/row_sink.h"

namespace mlprof::server {
namespace {

struct Field {
  std::string text;
  bool quoted = false;
  bool ends_record = true;  // else the delimiter follows
};

// Reads the fields of one text, one after another.
class FieldReader {
 public:
  FieldReader(std::string_view text, const DelimitedFormat& format)
      : rest_(text), format_(format) {}

  bool AtEnd() const { return rest_.empty(); }
  Field Next() {
    Field field;
    if (rest_.starts_with('"') && TakeQuoted(field.text)) {
      field.quoted = true;
    } else {
      const std::size_t end = std::min(rest_.find_first_of(Ends()), rest_.size());
      field.text = rest_.substr(0, end);
      rest_.remove_prefix(end);
    }
    field.ends_record = rest_.empty() || rest_.front() == '\n';
    if (!rest_.empty()) rest_.remove_prefix(1);
    if (field.ends_record && !field.quoted && field.text.ends_with('\r')) field.text.pop_back();
    return field;
  }

 private:
  std::string Ends() const { return {'\n', format_.delimiter}; }

  // Leaves `rest_` alone where no quoted field is there: the text is taken as it stands then.
  bool TakeQuoted(std::string& text) {
    std::string_view rest = rest_.substr(1);
    for (;;) {
      const std::size_t quote = rest.find('"');
      if (quote == std::string_view::npos) return false;
      text += rest.substr(0, quote);
      rest.remove_prefix(quote + 1);
      if (!rest.starts_with('"')) break;
      text += '"';
      rest.remove_prefix(1);
    }
    if (rest.starts_with("\r\n") || rest == "\r") rest.remove_prefix(1);
    const bool clean = rest.empty() || Ends().find(rest.front()) != std::string::npos;
    const bool broken = !format_.multi_line && text.find('\n') != std::string::npos;
    if (!clean || broken) {
      text.clear();
      return false;
    }
    rest_ = rest;
    return true;
  }

  std::string_view rest_;
  const DelimitedFormat& format_;
};

void ReadText(std::string_view text, const DelimitedFormat& format, bool has_header,
              RowCollector& rows) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  FieldReader reader(text, format);
  bool in_header = has_header;
  while (!reader.AtEnd() && rows.WantsMore()) {
    const Field field = reader.Next();
    if (field.text.empty() && field.ends_record) continue;
    bool more = !field.ends_record;
    if (!in_header && more) {
      rows.Refuse("has a second column");
    } else if (!in_header) {
      rows.AddText(field.text);
    }
    in_header = false;
    while (more && !reader.AtEnd() && rows.WantsMore()) more = !reader.Next().ends_record;
  }
}

bool NeedsQuotes(std::string_view row) {
  return row.empty() || row.front() == '"' || row.find_first_of("\r\n") != std::string_view::npos;
}

std::string QuotedField(const std::string& row) {
  std::string quoted = "\"";
  for (const char c : row) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

Result<Rows> ReadDelimited(const std::vector<std::string>& texts, const DelimitedFormat& format) {
  KeptRows kept;
  RowCollector rows(kept);
  bool first = true;
  for (const std::string& text : texts) {
    const bool has_header = format.header == HeaderRule::kEveryFile ||
                            (format.header == HeaderRule::kFirstFile && first);
    ReadText(text, format, has_header, rows);
    first = false;
  }
  MLPROF_TRY(std::move(rows).Finish());
  return kept.Take();
}

Status AppendLine(std::string& text, const std::string& row, std::size_t number) {
  if (FirstInvalidUtf8(row)) {
    return Fail(InvalidArgument("row " + std::to_string(number) +
                                " of the dataset is no text, and no text dataset can hold it"));
  }
  text += NeedsQuotes(row) ? QuotedField(row) : row;
  text += '\n';
  return {};
}

}  // namespace mlprof::server
