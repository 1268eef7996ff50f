#include "client/cli/output/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "client/cli/output/text.h"
#include "common/text/ascii.h"

namespace mlprof::client::cli {
namespace {

std::string Line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string cell = Visible(cells[i]);
    line += cell;
    if (i + 1 < cells.size()) line.append(widths[i] - Width(cell) + 2, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::optional<OutputFormat> ParseOutputFormat(std::string_view name) {
  if (name == "table") return OutputFormat::kTable;
  if (name == "json" || name == "jsonc") return OutputFormat::kJson;
  if (name == "yaml" || name == "yamlc") return OutputFormat::kYaml;
  if (name == "tsv") return OutputFormat::kTsv;
  if (name == "none") return OutputFormat::kNone;
  return std::nullopt;
}

std::string Aligned(const Table& table) {
  std::vector<std::size_t> widths(table.header.size());
  const auto widen = [&widths](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], Width(Visible(cells[i])));
    }
  };
  widen(table.header);
  for (const auto& row : table.rows) widen(row);
  std::string out = Line(table.header, widths);
  for (const auto& row : table.rows) out += Line(row, widths);
  return out;
}

std::string TabSeparated(const Table& table) {
  std::string out;
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += '\t';
      out += Visible(row[i]);
    }
    out += '\n';
  }
  return out;
}

std::string Formatted(OutputFormat format, const Json& json, const Table& table,
                      const std::string& details) {
  switch (format) {
    case OutputFormat::kTable: return details;
    case OutputFormat::kJson: return DumpJsonIndented(json) + "\n";
    case OutputFormat::kYaml: return Yaml(json);
    case OutputFormat::kTsv: return TabSeparated(table);
    case OutputFormat::kNone: return "";
  }
  return details;
}

namespace {

// Letters first, then letters, digits and what cannot mean anything: safe to write plainly unless
// it is one of the words that YAML 1.1 or 1.2 reads as a truth value or null.
bool IsPlain(const std::string& text) {
  if (text.empty() || !IsLetter(text.front())) return false;
  const bool harmless = std::all_of(text.begin(), text.end(), [](char c) {
    return IsAlnum(c) || c == '_' || c == '-' || c == '.' || c == '/';
  });
  if (!harmless) return false;
  const std::string word = Lowercase(text);
  constexpr std::array<std::string_view, 9> kWords = {"true", "false", "null", "yes", "no",
                                                      "on",   "off",   "y",    "n"};
  return std::find(kWords.begin(), kWords.end(), word) == kWords.end();
}

// A JSON string is a double-quoted YAML scalar as it stands.
std::string Scalar(const Json& value) {
  if (!value.is_string()) return DumpJson(value);
  const auto& text = value.get_ref<const std::string&>();
  return IsPlain(text) ? text : DumpJson(value);
}

bool IsBlock(const Json& value) {
  return (value.is_object() || value.is_array()) && !value.empty();
}

void Write(const Json& value, const std::string& indent, bool first_is_placed, std::string& out);

void WriteMember(const Json& value, const std::string& indent, std::string& out) {
  if (!IsBlock(value)) {
    out += " " + Scalar(value) + "\n";
    return;
  }
  out += "\n";
  Write(value, value.is_array() ? indent : indent + "  ", false, out);
}

void WriteItem(const Json& value, const std::string& indent, std::string& out) {
  out += indent + "-";
  if (!IsBlock(value)) {
    out += " " + Scalar(value) + "\n";
    return;
  }
  out += " ";
  Write(value, indent + "  ", true, out);
}

// `first_is_placed`: the first line stands behind a dash already.
void Write(const Json& value, const std::string& indent, bool first_is_placed, std::string& out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      out += (first_is_placed ? "" : indent) + Scalar(Json(key)) + ":";
      first_is_placed = false;
      WriteMember(member, indent, out);
    }
    return;
  }
  for (const Json& item : value) {
    WriteItem(item, first_is_placed ? "" : indent, out);
    first_is_placed = false;
  }
}

}  // namespace

std::string Yaml(const Json& value) {
  if (!IsBlock(value)) return Scalar(value) + "\n";
  std::string out;
  Write(value, "", false, out);
  return out;
}

namespace {

bool IsNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

// A spreadsheet reads a cell that begins like this as a formula, and what stands in one may come
// from anybody: a quote makes it text.
std::string WithoutFormula(const std::string& field) {
  constexpr std::string_view kBegins = "=+-@\t\r";
  const bool formula = !field.empty() && kBegins.find(field.front()) != std::string_view::npos;
  return formula && !IsNumber(field) ? "'" + field : field;
}

}  // namespace

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  bool first = true;
  for (const std::string& given : fields) {
    const std::string field = WithoutFormula(given);
    if (!first) line += ',';
    first = false;
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace mlprof::client::cli
