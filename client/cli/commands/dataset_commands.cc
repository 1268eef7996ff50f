#include "client/cli/artifacts.h"
#include "client/cli/command.h"
#include "client/cli/commands/delete_version.h"
#include "client/cli/commands/header_option.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"
#include "common/text/base64.h"

namespace mlprof::client::cli {
namespace {

constexpr std::int64_t kDefaultHead = 10;

void PrintDataset(Session& session, const Resource<Dataset>& dataset) {
  session.Print(JsonOfText(dataset.json), DatasetTable({dataset}), DatasetDetails(dataset.value));
}

Result<int> RegisterDataset(Session& session, const Options& options) {
  if (!options.Has("--name")) return WrongUse("--name is needed");
  if (!options.Has("--file")) return WrongUse("--file is needed");
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.Text("--file"), error)) {
    return WrongUse("there is no file " + options.Text("--file"));
  }
  MLPROF_LET(header, HeaderOf(options, options.Text("--file")));
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(dataset,
             UploadDataset(session, client, {options.Text("--name"), options.Text("--description")},
                           options.Text("--file"), header));
  PrintDataset(session, dataset);
  return kDone;
}

Result<int> ListDatasets(Session& session, const Options&) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(datasets, client.datasets().List());
  session.Print(ListJson(datasets), DatasetTable(datasets));
  return kDone;
}

Result<int> ShowDataset(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(dataset, client.datasets().Get(options.operands()[0]));
  PrintDataset(session, dataset);
  return kDone;
}

// Text as it is, anything else as {"base64": …}; as in the REST interface.
Json RowJson(const std::string& row) {
  const Json text = row;
  const std::string dumped = DumpJson(text);
  const auto again = ParseJson(dumped, {dumped.size() + 1, 4, 4});
  if (again && again->get<std::string>() == row) return text;
  return {{"base64", EncodeBase64(row)}};
}

Result<int> Head(Session& session, const Options& options) {
  MLPROF_LET(count, options.Integer("--count", 1));
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(rows, client.datasets().Head(options.operands()[0], count.value_or(kDefaultHead)));
  Table table;
  Json value = Json::array();
  std::string lines;
  for (const std::string& row : rows) {
    table.rows.push_back({row});
    value.push_back(RowJson(row));
    lines += Visible(row) + "\n";
  }
  session.Print({{"value", value}, {"nextCursor", nullptr}}, table, lines);
  return kDone;
}

Result<int> DeleteDataset(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(id, DatasetToDelete(session, client, options, options.operands()[0]));
  MLPROF_TRY(client.datasets().Delete(id));
  session.Say("deleted dataset " + id);
  return kDone;
}

}  // namespace

std::vector<Command> DatasetCommands() {
  return {
      {"dataset register",
       "",
       "register request bodies (.csv, .jsonl, .json, else a line each)",
       0,
       0,
       {{{"--name", "-n"}, "NAME", "its name"},
        {{"--file", "-f"}, "FILE", "the file"},
        HeaderOption(),
        {{"--description", "-d"}, "TEXT", "what it is"}},
       {"mlprof dataset register -n requests -f requests.jsonl",
        "mlprof dataset register -n requests -f requests.csv --header present"},
       RegisterDataset},
      {"dataset list", "", "list datasets", 0, 0, {}, {"mlprof dataset list"}, ListDatasets},
      {"dataset show",
       "ID",
       "show a dataset",
       1,
       1,
       {},
       {"mlprof dataset show requests"},
       ShowDataset},
      {"dataset head",
       "ID",
       "show a dataset's first rows",
       1,
       1,
       {{{"--count", "-c"}, "N", "how many (10)"}},
       {"mlprof dataset head requests -c 3"},
       Head},
      {"dataset delete",
       "ID",
       "delete a version of a dataset; of a bare name the newest",
       1,
       1,
       {YesOption()},
       {"mlprof dataset delete requests:1"},
       DeleteDataset},
  };
}

}  // namespace mlprof::client::cli
