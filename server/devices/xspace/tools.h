// What is made of a trace: one function a tool, each in a file of its own. Pure. What every field
// means, and where a figure is not the one that XProf shows, is in docs/DEVICE_TRACES.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/json.h"
#include "common/result/result.h"
#include "server/devices/xspace/row_visits.h"
#include "server/devices/xspace/time_limit.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

enum class OpGrouping { kProgram, kCategory, kProvenance };

/// What a caller may ask of a tool; each reads what concerns it.
struct ToolOptions {
  OpGrouping grouping = OpGrouping::kProgram;  // op_profile
  bool with_idle = true;                       // op_profile
  bool by_flops = false;                       // op_profile, hlo_stats: the order, else by time
  std::size_t top = 100;                       // op_profile: children of a node; hlo_stats: rows
  std::string module;                          // memory_viewer: "jit_f(14)"; "" is the largest
  int memory_space = 0;                        // memory_viewer: 0 is HBM
  // trace_viewer: from and to, in ms since the trace began; of what is too short to be seen when
  // the window is drawn in `resolution` columns only one of a column is kept. 0 keeps all.
  double from_ms = 0;
  double to_ms = 0;  // 0: to the end
  std::size_t resolution = 0;
  // When rows were under way, of a trace that a profile took; nullptr for any other.
  const RowVisits* rows = nullptr;
  // Of every tool, at most one: only what ran while this row, or the slowest of all visits, was
  // under way.
  std::optional<std::uint32_t> row = {};
  std::optional<double> slowest_percent = {};
  TimeLimit time;  // of every tool
};

// Past its time limit the document of a tool is not to be used.
Json OverviewPage(const Trace& trace, const TimeLimit& time);
Json InputPipelineAnalyzer(const Trace& trace, const TimeLimit& time);
Json OpProfile(const Trace& trace, const ToolOptions& options);
Json HloStats(const Trace& trace, const ToolOptions& options);
/// kNotFound for a module the trace does not hold; an empty document where it holds none. kTooLarge
/// where the programs have more parts than HloLimits.
Result<Json> MemoryViewer(const Trace& trace, const ToolOptions& options);
Json MemoryProfile(const Trace& trace, const TimeLimit& time);
/// The slowest `top` rows, or of those that are asked about. kNotFound as RunTool.
Result<Json> RowsOfTrace(const Trace& trace, const ToolOptions& options);

/// Takes a piece of a text; an error ends the writing.
using TextSink = std::function<Status(std::string_view piece)>;
/// The trace as Chrome's and Perfetto's JSON, a piece of at most some 80 KiB at a time; with a
/// track of the rows where they are known. kDeadlineExceeded; as RunTool for a row.
Status WriteChromeTrace(const Trace& trace, const ToolOptions& options, const TextSink& sink);

/// The names of all tools: "overview_page", …, "trace_viewer".
const std::vector<std::string>& ToolNames();
/// The tool that only traces with rows have.
inline constexpr const char* kRowsTool = "rows";
/// The document of any tool but trace_viewer. kNotFound for a name that is none, and for a row that
/// no visit is of; kConflict where rows are asked about and the trace has none; kDeadlineExceeded.
Result<Json> RunTool(const Trace& trace, const std::string& name, const ToolOptions& options);

}  // namespace mlprof::server::xspace
