// `mlprof trace FILE.xplane.pb`: a device trace, looked at with a tool; and made to be opened by
// XProf, TensorBoard, Chrome and Perfetto.
#include <array>

#include "client/cli/command.h"
#include "client/cli/part_file.h"
#include "client/cli/trace_view.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

using Query = TraceQuery;

// "A..B" in ms; either may be left out.
Result<Query> WindowOf(const Options& options) {
  Query query;
  const std::string window = options.Text("--window");
  if (window.empty()) return query;
  const std::size_t dots = window.find("..");
  const std::string from = window.substr(0, dots);
  const std::string to = dots == std::string::npos ? "" : window.substr(dots + 2);
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of("0123456789.") == std::string::npos;
  };
  if (dots == std::string::npos || (from.empty() && to.empty()) || !is_number(from) ||
      !is_number(to)) {
    return WrongUse("--window must be A..B in milliseconds since the trace began, as 0..250");
  }
  if (!from.empty()) query["fromMs"] = from;
  if (!to.empty()) query["toMs"] = to;
  return query;
}

Result<Query> QueryOf(const Options& options) {
  MLPROF_LET(query, WindowOf(options));
  constexpr std::array<std::pair<const char*, const char*>, 8> kNames = {
      {{"--row", "row"},
       {"--slowest", "slowestPercent"},
       {"--group-by", "groupBy"},
       {"--sort", "sort"},
       {"--top", "top"},
       {"--module", "module"},
       {"--memory-space", "memorySpace"},
       {"--resolution", "resolution"}}};
  for (const auto& [option, name] : kNames) {
    if (options.Has(option)) query[name] = options.Text(option);
  }
  if (options.Has("--without-idle")) query["idle"] = "false";
  if (auto slowest = query.find("slowestPercent");
      slowest != query.end() && slowest->second.ends_with('%')) {
    slowest->second.pop_back();
  }
  return query;
}

// The whole file or none.
Status WriteChrome(Client& client, const std::string& id, const Query& query,
                   const fs::path& file) {
  PartFile part(file);
  MLPROF_TRY(client.captures().DownloadTool(id, "trace_viewer", query, part.path()));
  return part.Keep();
}

// The file is handed in where it is one; of what the server has the id is enough.
Result<std::string> CaptureOf(Session& session, Client& client, const std::string& operand,
                              bool exported) {
  if (IsCaptureId(operand) && !exported) return operand;
  const fs::path file = operand;
  std::error_code error;
  if (fs::is_regular_file(file, error)) {
    return UploadTrace(session, client, file, file.filename().string());
  }
  if (IsCaptureId(operand)) {
    return WrongUse(
        "--export needs the file: `mlprof profile artifacts NAME -t DIR` writes those "
        "of a profile");
  }
  return WrongUse("there is no file " + file.string() +
                  "; a profiler writes LOGDIR/plugins/profile/RUN/HOST.xplane.pb");
}

Result<int> ShowTrace(Session& session, const Options& options) {
  const fs::path file = options.operands()[0];
  const std::string chrome = options.Text("--chrome");
  const std::string folder = options.Text("--export");
  const bool only_files = !options.Has("--tool") && !(chrome.empty() && folder.empty());
  const std::string tool = options.Has("--tool") ? options.Text("--tool") : "overview_page";
  MLPROF_TRY(CheckTraceTool(tool));
  MLPROF_LET(query, QueryOf(options));
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(id, CaptureOf(session, client, options.operands()[0], !folder.empty()));
  Json files = Json::array();
  if (!folder.empty()) {
    MLPROF_LET(copy, ExportCopy(file, HostOf(file), folder));
    session.Say("exported; open it with: xprof --logdir " + folder);
    files.push_back(copy.string());
  }
  if (!chrome.empty()) {
    MLPROF_TRY(WriteChrome(client, id, query, chrome));
    session.Say("wrote " + chrome + "; open it in Perfetto or chrome://tracing");
    files.push_back(chrome);
  }
  if (only_files) {
    Table table{{"FILE"}, {}};
    for (const Json& one : files) table.rows.push_back({one.get<std::string>()});
    session.Print({{"id", id}, {"files", std::move(files)}}, table);
    return kDone;
  }
  return ShowTool(session, client, id, tool, query);
}

}  // namespace

Command TraceCommand() {
  return {
      "trace",
      "FILE|ID",
      "look at a device trace (.xplane.pb) of JAX, TensorFlow or XLA, or one that the server has",
      1,
      1,
      {{{"--tool"},
        "TOOL",
        "overview_page (default), input_pipeline_analyzer, op_profile, hlo_stats, "
        "memory_viewer, memory_profile, trace_viewer; rows, of a trace that a profile took"},
       {{"--row"}, "N", "only what ran while row N was under way, of a trace that a profile took"},
       {{"--slowest"}, "PERCENT", "the same of the slowest rows: 1 is the slowest 1%"},
       {{"--group-by"}, "WHAT", "op_profile: program (default), category or provenance"},
       {{"--sort"}, "WHAT", "op_profile, hlo_stats: time (default) or flops"},
       {{"--top"}, "N", "op_profile, hlo_stats, rows: the N first of each (default 100)"},
       {{"--without-idle"}, "", "op_profile: shares of the busy time"},
       {{"--module"}, "NAME", "memory_viewer: the program; else the largest"},
       {{"--memory-space"}, "N", "memory_viewer: 0 is the device's main memory (default)"},
       {{"--window"}, "A..B", "trace_viewer, --chrome: in ms since the trace began"},
       {{"--resolution"}, "N", "trace_viewer, --chrome: leave out what N columns cannot show"},
       {{"--export"}, "DIR", "a log directory that XProf and TensorBoard open"},
       {{"--chrome"}, "FILE", "the trace as JSON for Perfetto and chrome://tracing"}},
      {"mlprof trace host.xplane.pb", "mlprof trace host.xplane.pb --tool op_profile -o json",
       "mlprof trace host.xplane.pb --chrome trace.json --window 0..250",
       "mlprof trace host.xplane.pb --export ./logs",
       "mlprof trace sha256:… --tool op_profile --slowest 1"},
      ShowTrace};
}

}  // namespace mlprof::client::cli
