#include "client/cli/azure/az_output.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "client/cli/azure/query.h"
#include "client/cli/output/format.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

// Python's words, in which Azure's command line speaks outside of json and yaml.
std::string Plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  return DumpJson(value);
}

std::vector<Json> RowsOf(const Json& value) {
  if (!value.is_array()) return std::vector<Json>(1, value);
  return std::vector<Json>(value.begin(), value.end());
}

std::string TsvCell(const Json& value) {
  if (value.is_object()) return "";
  return value.is_array() ? std::to_string(value.size()) : Plain(value);
}

std::string Tsv(const Json& value) {
  Table table;
  for (const Json& row : RowsOf(value)) {
    std::vector<std::string> cells;
    if (row.is_structured()) {
      for (const Json& cell : row) cells.push_back(TsvCell(cell));
    } else {
      cells.push_back(Plain(row));
    }
    table.rows.push_back(std::move(cells));
  }
  return TabSeparated(table);
}

using Cells = std::map<std::string, std::string>;

Cells TableCells(const Json& row) {
  if (!row.is_structured()) return {{"Result", Plain(row)}};
  Cells cells;
  std::size_t column = 0;
  for (const auto& [key, value] : row.items()) {
    ++column;
    if (row.is_array()) {
      cells["Column" + std::to_string(column)] = TsvCell(value);
      continue;
    }
    // As in Azure's command line: an id is no column, nor is what is empty or holds several values.
    const bool nothing = value.is_null() || value == "" || key.empty();
    if (key == "id" || key == "type" || nothing || value.is_structured()) continue;
    std::string name = key;
    if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 32);
    cells[name] = Plain(value);
  }
  return cells;
}

std::string TableText(const Json& value) {
  std::vector<Cells> rows;
  std::set<std::string> columns;
  for (const Json& row : RowsOf(value)) {
    rows.push_back(TableCells(row));
    for (const auto& [column, cell] : rows.back()) columns.insert(column);
  }
  if (columns.empty()) return "";
  Table table{{columns.begin(), columns.end()}, {}};
  table.rows.emplace_back();  // the rule below the header
  for (Cells& cells : rows) {
    std::vector<std::string> line;
    for (const std::string& column : columns) line.push_back(cells[column]);
    table.rows.push_back(std::move(line));
  }
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    std::size_t width = Width(Visible(table.header[i]));
    for (std::size_t row = 1; row < table.rows.size(); ++row) {
      width = std::max(width, Width(Visible(table.rows[row][i])));
    }
    table.rows[0].emplace_back(width, '-');
  }
  return Aligned(table);
}

}  // namespace

std::string AzureFormatted(OutputFormat format, const Json& value) {
  if (value.is_null()) return "";
  switch (format) {
    case OutputFormat::kTable: return TableText(value);
    case OutputFormat::kJson: return DumpJsonIndented(value) + "\n";
    case OutputFormat::kYaml: return Yaml(value);
    case OutputFormat::kTsv: return Tsv(value);
    case OutputFormat::kNone: return "";
  }
  return "";
}

Status CheckQuery(const Options& options) {
  if (!options.Has("--query")) return {};
  MLPROF_TRY(ApplyQuery(options.Text("--query"), Json()));
  return {};
}

Status PrintAzure(Session& session, const Options& options, const Json& value) {
  Json shown = value;
  if (options.Has("--query")) {
    MLPROF_LET(found, ApplyQuery(options.Text("--query"), value));
    shown = std::move(found);
  }
  session.surroundings().out << AzureFormatted(session.format(), shown) << std::flush;
  return {};
}

namespace {

std::string Property(const Model& model, const std::string& name, const std::string& none = "") {
  const auto found = model.properties.find(kAzurePropertyPrefix + name);
  return found == model.properties.end() ? none : found->second;
}

Json NumberProperty(const Model& model, const std::string& name) {
  const std::string text = Property(model, name);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return text;
  return value;
}

Json PairsOrNothing(const std::map<std::string, std::string>& pairs) {
  return pairs.empty() ? Json("") : Json(pairs);
}

}  // namespace

std::map<std::string, std::string> OwnProperties(const Model& model) {
  std::map<std::string, std::string> own = model.properties;
  std::erase_if(own, [](const auto& pair) { return pair.first.starts_with(kAzurePropertyPrefix); });
  return own;
}

Json AzureModelJson(const Model& model) {
  return {{"cpu", NumberProperty(model, "cpu")},
          {"createdTime", AzTime(model.created)},
          {"description", model.description},
          {"experimentName", Property(model, "experimentName")},
          {"framework", Property(model, "framework", kNoAzureFramework)},
          {"frameworkVersion", Property(model, "frameworkVersion")},
          {"gpu", NumberProperty(model, "gpu")},
          {"id", model.id},
          {"memoryInGB", NumberProperty(model, "memoryInGB")},
          {"name", model.name},
          {"properties", PairsOrNothing(OwnProperties(model))},
          {"runId", Property(model, "runId")},
          {"sampleInputDatasetId", Property(model, "sampleInputDatasetId")},
          {"sampleOutputDatasetId", Property(model, "sampleOutputDatasetId")},
          {"tags", PairsOrNothing(model.tags)},
          {"version", model.version}};
}

}  // namespace mlprof::client::cli
