#include "server/devices/xspace/tools.h"

#include "server/devices/xspace/part_asked.h"
#include "server/devices/xspace/restricted_trace.h"

namespace mlprof::server::xspace {
namespace {

Result<Json> DocumentOf(const Trace& trace, const std::string& name, const ToolOptions& options) {
  if (name == "overview_page") return OverviewPage(trace, options.time);
  if (name == "input_pipeline_analyzer") return InputPipelineAnalyzer(trace, options.time);
  if (name == "op_profile") return OpProfile(trace, options);
  if (name == "hlo_stats") return HloStats(trace, options);
  if (name == "memory_viewer") return MemoryViewer(trace, options);
  if (name == "memory_profile") return MemoryProfile(trace, options.time);
  if (name == kRowsTool) {
    MLPROF_TRY(CheckRows(options));
    return RowsOfTrace(trace, options);
  }
  std::string known;
  for (const std::string& tool : ToolNames()) known += tool + ", ";
  known += kRowsTool;
  return Fail(NotFound("there is no tool \"" + name + "\"; there are " + known));
}

}  // namespace

const std::vector<std::string>& ToolNames() {
  static const std::vector<std::string> names = {
      "overview_page", "input_pipeline_analyzer", "op_profile",    "hlo_stats",
      "trace_viewer",  "memory_viewer",           "memory_profile"};
  return names;
}

Result<Json> RunTool(const Trace& trace, const std::string& name, const ToolOptions& options) {
  MLPROF_LET(asked, VisitsAsked(options));
  const bool part = asked && name != kRowsTool;
  auto document =
      part ? DocumentOf(RestrictedTrace(trace).To(SpansOf(*asked), options.time), name, options)
           : DocumentOf(trace, name, options);
  MLPROF_TRY(options.time.Kept());
  return document;
}

}  // namespace mlprof::server::xspace
