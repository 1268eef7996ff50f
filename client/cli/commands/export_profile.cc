// `mlprof profile export NAME -t DIR`: the profile, its trials, rows and samples as files.
#include "client/cli/command.h"
#include "client/cli/output/format.h"
#include "client/cli/output/tables.h"
#include "client/cli/text_file.h"
#include "common/json/series_json.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

struct Parts {
  Resource<Profile> profile;
  ResourceList<Trial> trials;
  ResourceList<RowRecord> rows;
  std::vector<Series> samples;
};

constexpr int kMostPoints = 10'000;  // of each series: more than 30 a second of a default budget

Result<Parts> Fetch(Client& client, const std::string& name) {
  MLPROF_LET(profile, client.profiles().Get(name));
  // By id from here on: the name may get a newer run meanwhile.
  const std::string& id = profile.value.id;
  MLPROF_LET(trials, client.profiles().Trials(id));
  MLPROF_LET(rows, client.profiles().Rows(id));
  MLPROF_LET(samples, client.profiles().Samples(id, kMostPoints));
  return Parts{std::move(profile), std::move(trials), std::move(rows), std::move(samples)};
}

std::string Cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : DumpJson(value);
}

// Nested objects become "outer.inner" columns.
void Flatten(const Json& object, const std::string& prefix,
             std::map<std::string, std::string>& out) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      Flatten(value, prefix + key + ".", out);
    } else {
      out[prefix + key] = Cell(value);
    }
  }
}

template <class T>
std::string CsvOf(const ResourceList<T>& list) {
  std::vector<std::map<std::string, std::string>> records;
  std::set<std::string> columns;
  for (const Resource<T>& item : list) {
    std::map<std::string, std::string> record;
    Flatten(JsonOfText(item.json), "", record);
    for (const auto& [column, value] : record) columns.insert(column);
    records.push_back(std::move(record));
  }
  std::string out = CsvLine({columns.begin(), columns.end()});
  for (auto& record : records) {
    std::vector<std::string> fields;
    for (const std::string& column : columns) fields.push_back(record[column]);
    out += CsvLine(fields);
  }
  return out;
}

std::string CsvOf(const std::vector<Series>& samples) {
  std::string out = CsvLine({"series", "seconds", "value", "unit", "source"});
  for (const Series& series : samples) {
    for (const SeriesPoint& point : series.points) {
      const double seconds = std::chrono::duration<double>(point.at).count();
      out += CsvLine(
          {series.name, DumpJson(seconds), DumpJson(point.value), series.unit, series.source});
    }
  }
  return out;
}

using Files = std::vector<std::pair<std::string, std::string>>;

Files JsonFiles(const Parts& parts) {
  return {{"profile.json", DumpJsonIndented(JsonOfText(parts.profile.json)) + "\n"},
          {"trials.json", DumpJsonIndented(ListJson(parts.trials)) + "\n"},
          {"rows.json", DumpJsonIndented(ListJson(parts.rows)) + "\n"},
          {"samples.json", DumpJson(EncodeSeries(parts.samples)) + "\n"}};
}

Files CsvFiles(const Parts& parts) {
  return {{"profile.csv", CsvOf(ResourceList<Profile>{parts.profile})},
          {"trials.csv", CsvOf(parts.trials)},
          {"rows.csv", CsvOf(parts.rows)},
          {"samples.csv", CsvOf(parts.samples)}};
}

Result<int> Export(Session& session, const Options& options) {
  const std::string format = options.Has("--format") ? options.Text("--format") : "json";
  if (format == "html" || format == "xprof" || format == "kubernetes") {
    return ComesLater("export to " + format);
  }
  if (format != "json" && format != "csv") {
    return WrongUse("--format must be json or csv, not '" + format + "'");
  }
  const fs::path folder = options.Text("--target-dir");
  if (folder.empty()) return WrongUse("--target-dir is needed");
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(parts, Fetch(client, options.operands()[0]));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return WrongUse("cannot create " + folder.string() + ": " + error.message());
  Table table{{"FILE"}, {}};
  Json files = Json::array();
  for (const auto& [name, text] : format == "json" ? JsonFiles(parts) : CsvFiles(parts)) {
    MLPROF_TRY(WriteTextFile(folder / name, text, false));
    table.rows.push_back({(folder / name).string()});
    files.push_back((folder / name).string());
  }
  session.Print({{"files", std::move(files)}}, table);
  return kDone;
}

}  // namespace

Command ExportCommand() {
  return {"profile export",
          "NAME",
          "write a profile with its trials, rows and samples to files",
          1,
          1,
          {{{"--target-dir", "-t"}, "DIR", "the folder, made where needed"},
           {{"--format"}, "FORMAT", "json (default) or csv"}},
          {"mlprof profile export p1 -t ./p1", "mlprof profile export p1 -t ./p1 --format csv"},
          Export};
}

}  // namespace mlprof::client::cli
