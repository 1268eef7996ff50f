#include "client/cli/output/format.h"

#include <algorithm>

#include "client/cli/output/text.h"
#include "client/cli/output/yaml.h"

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

}  // namespace mlprof::client::cli
