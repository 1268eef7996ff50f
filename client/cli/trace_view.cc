#include "client/cli/trace_view.h"

#include <algorithm>
#include <array>

#include "client/cli/command.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"
#include "client/cli/output/trace_details.h"
#include "client/cli/part_file.h"
#include "client/cli/upload_progress.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> kTraceTools = {
    "overview_page", "input_pipeline_analyzer", "op_profile",     "hlo_stats",
    "trace_viewer",  "memory_viewer",           "memory_profile", "rows"};

}  // namespace

bool IsCaptureId(const std::string& operand) {
  constexpr std::string_view kDigest = "sha256:";
  constexpr std::size_t kHexDigits = 64;
  return operand.starts_with(kDigest) && operand.size() == kDigest.size() + kHexDigits &&
         operand.find_first_not_of("0123456789abcdef", kDigest.size()) == std::string::npos;
}

std::string HostOf(const fs::path& trace) {
  const std::string name = trace.filename().string();
  return name.ends_with(kTraceEnding) ? name.substr(0, name.size() - kTraceEnding.size()) : name;
}

Result<fs::path> ExportCopy(const fs::path& trace, const std::string& host,
                            const fs::path& folder) {
  std::string run = Text(Now());
  std::replace_if(
      run.begin(), run.end(), [](char c) { return c == '-' || c == ':' || c == ' '; }, '_');
  const fs::path target = folder / "plugins" / "profile" / run;
  std::error_code error;
  fs::create_directories(target, error);
  if (error) return Fail(FromErrno(error.value(), "cannot create " + target.string()));
  const fs::path file = target / ((host.empty() ? "host" : host) + std::string(kTraceEnding));
  PartFile part(file);
  if (!fs::copy_file(trace, part.path(), fs::copy_options::overwrite_existing, error) || error) {
    return Fail(FromErrno(error.value(), "cannot write " + part.path().string()));
  }
  MLPROF_TRY(part.Keep());
  return file;
}

Status CheckTraceTool(const std::string& tool) {
  if (std::find(kTraceTools.begin(), kTraceTools.end(), tool) != kTraceTools.end()) return {};
  std::string known;
  for (const std::string_view name : kTraceTools) {
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return WrongUse("there is no tool '" + tool + "'; there are " + known);
}

Result<std::string> UploadTrace(Session& session, Client& client, const fs::path& file,
                                const std::string& name) {
  const auto capture =
      client.captures().Upload({file, "application/octet-stream",
                                UploadProgress("uploading " + name, session.surroundings())});
  if (!capture) return Fail(capture.error().WithContext(file.string()));
  const Json json = JsonOfText(*capture);
  return json.value("id", std::string());
}

Result<int> ShowTool(Session& session, Client& client, const std::string& id,
                     const std::string& tool, const TraceQuery& query) {
  if (tool == "trace_viewer") {
    MLPROF_LET(text, client.captures().RunTool(id, tool, query));
    session.surroundings().out << text;
    return kDone;
  }
  MLPROF_LET(text, client.captures().RunTool(id, tool, query));
  const Json document = JsonOfText(text);
  session.Print(document, TraceTable(tool, document), TraceDetails(tool, document));
  return kDone;
}

}  // namespace mlprof::client::cli
