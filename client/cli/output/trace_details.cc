#include "client/cli/output/trace_details.h"

#include <algorithm>

#include "client/cli/output/details.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

constexpr std::size_t kMostLines = 30;
constexpr std::size_t kNameColumns = 44;

// The value at "a.b.c"; null where there is none.
Json FieldAt(const Json& document, const std::string& path) {
  const Json* at = &document;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const auto found = at->is_object() ? at->find(path.substr(from, dot - from)) : at->end();
    if (!at->is_object() || found == at->end()) return nullptr;
    at = &*found;
    from = dot + 1;
  }
  return *at;
}

std::string Words(const Json& value) {
  if (value.is_string()) return Visible(value.get<std::string>());
  if (value.is_number()) return Figure(value.get<double>(), 4);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return "";
}

std::string With(const Json& value, const std::string& unit) {
  const std::string said = Words(value);
  return said.empty() ? "" : said + unit;
}

std::string Average(const Json& summary, const std::string& unit) {
  if (!summary.is_object()) return "";
  return Words(FieldAt(summary, "average")) + unit + " ± " +
         Words(FieldAt(summary, "standardDeviation")) + " (" + Words(FieldAt(summary, "minimum")) +
         " to " + Words(FieldAt(summary, "maximum")) + ")";
}

// One column of a table: its heading, and where its value stands in a row.
struct TraceColumn {
  const char* heading;
  const char* path;
};
using TraceColumns = std::vector<TraceColumn>;

Table TableOfRows(const Json& rows, const TraceColumns& columns) {
  Table table;
  for (const TraceColumn& column : columns) table.header.push_back(column.heading);
  if (!rows.is_array()) return table;
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const TraceColumn& column : columns) {
      cells.push_back(Shortened(Words(FieldAt(row, column.path)), kNameColumns));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void WriteTraceRows(Details& details, const Json& rows, const TraceColumns& columns) {
  Table table = TableOfRows(rows, columns);
  const std::size_t all = table.rows.size();
  if (all > kMostLines) table.rows.resize(kMostLines);
  details.Block(Aligned(table), 2);
  if (all > kMostLines) {
    details.Block("… and " + std::to_string(all - kMostLines) + " more (-o json has all)", 2);
  }
}

void WriteList(Details& details, const std::string& heading, const Json& list) {
  if (!list.is_array() || list.empty()) return;
  details.Heading(heading);
  for (const Json& entry : list) details.Block("- " + Words(entry), 2);
}

const TraceColumns kTopOpColumns = {{"SELF %", "selfTimePercent"},
                                    {"SUM %", "cumulativePercent"},
                                    {"SELF MS", "selfTimeInMs"},
                                    {"GFLOP/S", "gflopsPerSecond"},
                                    {"TYPE", "type"},
                                    {"OPERATION", "name"}};
const TraceColumns kHloColumns = {{"SELF %", "selfTimePercent"},
                                  {"SUM %", "cumulativeSelfTimePercent"},
                                  {"RUNS", "occurrences"},
                                  {"SELF US", "selfTimeInUs"},
                                  {"GFLOP/S", "roofline.gflopsPerSecond"},
                                  {"GIB/S", "roofline.memoryGibPerSecond"},
                                  {"BOUND BY", "roofline.boundBy"},
                                  {"CATEGORY", "category"},
                                  {"OPERATION", "name"}};
const TraceColumns kInputColumns = {{"SELF %", "selfTimePercent"},
                                    {"COUNT", "count"},
                                    {"SELF MS", "selfTimeInMs"},
                                    {"MS", "timeInMs"},
                                    {"CLASS", "class"},
                                    {"OPERATION", "name"}};
const TraceColumns kStepColumns = {{"STEP", "name"},
                                   {"MS", "stepTimeInMs"},
                                   {"INPUT %", "inputPercent"},
                                   {"STARTS MS", "startInMs"}};
const TraceColumns kBufferColumns = {{"MIB", "sizeInMib"}, {"UNPADDED", "unpaddedInMib"},
                                     {"GROUP", "group"},   {"SHAPE", "shape"},
                                     {"BUFFER", "name"},   {"FROM", "provenance"}};
const TraceColumns kTreeColumns = {{"TIME %", "timePercent"},       {"US", "metrics.timeInUs"},
                                   {"RUNS", "metrics.occurrences"}, {"FLOPS %", "flopsPercent"},
                                   {"HBM %", "hbmPercent"},         {"OPERATION", "name"}};

const TraceColumns kRowColumns = {{"ROW", "row"},           {"VISITS", "visits"},
                                  {"MS", "latencyInMs"},    {"SLOWEST MS", "slowestInMs"},
                                  {"BESIDE", "beside"},     {"IN OPS %", "opTimePercent"},
                                  {"TOP %", "topPercent"},  {"TOP OPERATION", "topOp"},
                                  {"PROGRAM", "topProgram"}};

void WriteVerdict(Details& details, const Json& document) {
  details.Heading("Verdict");
  details.Block(Words(FieldAt(document, "verdict.statement")), 2);
  const Json also = FieldAt(document, "verdict.also");
  if (also.is_array()) {
    for (const Json& entry : also) details.Block(Words(entry), 2);
  }
}

void WriteSteps(Details& details, const Json& summary) {
  details.Heading("Steps");
  details.Line("counted", Words(FieldAt(summary, "count")));
  if (FieldAt(summary, "count") == 0) return;
  details.Line("step time", Average(FieldAt(summary, "stepTimeInMs"), " ms"));
  details.Line("input's share", Average(FieldAt(summary, "inputPercent"), " %"));
  for (const auto& [name, value] : summary.items()) {
    if (!name.ends_with("InMs") || name == "stepTimeInMs") continue;
    if (FieldAt(value, "maximum") == 0.0) continue;
    const std::string part = name.substr(0, name.size() - 4);
    details.Line(part == "input" ? "waits for input" : part, Average(value, " ms"));
  }
}

// "12.5 of 40 MiB at the peak of jit_f(14)"; "" where the trace holds no program.
std::string AtPeak(const Json& costs, const std::string& field) {
  const std::string bytes = With(FieldAt(costs, field), " of ");
  if (bytes.empty()) return "";
  return bytes + With(FieldAt(costs, "peakInMib"), " MiB at the peak of ") +
         Shortened(Words(FieldAt(costs, "program")), kNameColumns);
}

std::string WithComma(const std::string& one, const std::string& other) {
  return one + (one.empty() || other.empty() ? "" : ", ") + other;
}

// Whether input, padding or precision costs most on a device, and what there is of each. On a
// processor tensors are not tiled, and many are slower in bfloat16.
void WriteCosts(Details& details, const Json& document) {
  const Json most = FieldAt(document, "costsMost");
  if (!most.is_string() || FieldAt(document, "hardware") == "CPU") return;
  const Json padding = FieldAt(document, "padding"), precision = FieldAt(document, "precision");
  details.Heading("What costs");
  details.Line("costs most", Words(most));
  details.Line("padded",
               WithComma(With(FieldAt(padding, "paddedTimePercent"), " % of the operations' time"),
                         AtPeak(padding, "paddingAtPeakInMib")));
  std::string f32 = WithComma(
      With(FieldAt(precision, "f32MatrixTimePercent"), " % of the operations' time in products"),
      AtPeak(precision, "f32AtPeakInMib"));
  const std::string halved = With(FieldAt(precision, "f32AsBfloat16InMib"), " MiB in bfloat16");
  if (!halved.empty()) f32 += " (at most " + halved + ")";
  details.Line("f32", f32);
  const Json not_read = FieldAt(document, "programsNotRead");
  if (not_read.is_number()) details.Line("not read", Words(not_read) + " compiled programs");
}

void WriteOverview(Details& details, const Json& document) {
  details.Heading("Ran on");
  const Json count = FieldAt(document, "environment.deviceCount");
  details.Line("device", Words(FieldAt(document, "environment.deviceType")) +
                             (count.is_number() && count != 0 ? " × " + Words(count) : ""));
  details.Line("events", Words(FieldAt(document, "environment.eventCount")));
  WriteSteps(details, FieldAt(document, "steps"));
  if (FieldAt(document, "environment.deviceCount") != 0) {
    details.Heading("Device");
    details.Line("idle", With(FieldAt(document, "device.idlePercent"), " %"));
    details.Line("duty cycle", With(FieldAt(document, "device.dutyCyclePercent"), " %"));
    details.Line("FLOPS of peak", With(FieldAt(document, "device.flopsUtilizationPercent"), " %"));
  }
  if (!FieldAt(document, "topOps").empty()) {
    details.Heading("Operations that take most");
    WriteTraceRows(details, FieldAt(document, "topOps"), kTopOpColumns);
  }
  WriteVerdict(details, document);
  WriteCosts(details, document);
  WriteList(details, "Look next at", FieldAt(document, "nextSteps"));
  WriteList(details, "Errors of the profiler", FieldAt(document, "errors"));
  WriteList(details, "Warnings of the profiler", FieldAt(document, "warnings"));
}

void WriteInput(Details& details, const Json& document) {
  WriteVerdict(details, document);
  WriteSteps(details, FieldAt(document, "summary"));
  WriteTraceRows(details, FieldAt(document, "steps"), kStepColumns);
  if (!FieldAt(document, "inputOps").empty()) {
    details.Heading("Input operations on the host");
    WriteTraceRows(details, FieldAt(document, "inputOps"), kInputColumns);
  }
  WriteList(details, "What to do", FieldAt(document, "nextSteps"));
}

// The tree as rows, deeper ones indented.
void FlattenTree(const Json& node, std::size_t depth, Json& rows) {
  Json row = {{"metrics", FieldAt(node, "metrics")}};
  row["name"] = std::string(2 * depth, ' ') + Words(FieldAt(node, "name"));
  const auto percent = [&](const char* path) {
    const Json share = FieldAt(node, path);
    return share.is_number() ? Json(100 * share.get<double>()) : Json();
  };
  row["timePercent"] = percent("metrics.timeFraction");
  row["flopsPercent"] = percent("metrics.flopsUtilization");
  row["hbmPercent"] = percent("metrics.hbmUtilization");
  rows.push_back(std::move(row));
  const Json children = FieldAt(node, "children");
  if (!children.is_array() || depth > 8 || FieldAt(node, "op").is_object()) return;
  for (const Json& child : children) FlattenTree(child, depth + 1, rows);
}

Json TreeRows(const Json& document) {
  Json rows = Json::array();
  if (FieldAt(document, "root").is_object()) FlattenTree(FieldAt(document, "root"), 0, rows);
  return rows;
}

// Each row with the operation that takes most of it.
Json RowsWithTopOps(const Json& document) {
  Json rows = Json::array();
  const Json told = FieldAt(document, "rows");
  if (!told.is_array()) return rows;
  for (Json row : told) {
    row["beside"] = FieldAt(row, "othersInFlight");
    const Json ops = FieldAt(row, "topOps");
    if (ops.is_array() && !ops.empty()) {
      row["topOp"] = FieldAt(ops[0], "name");
      row["topPercent"] = FieldAt(ops[0], "selfTimePercent");
      row["topProgram"] = FieldAt(ops[0], "program");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void WriteRows(Details& details, const Json& document) {
  details.Block("Visits that began and ended while it was recorded: " +
                    Words(FieldAt(document, "visitCount")) + ", of rows: " +
                    Words(FieldAt(document, "rowCount")) + ". The rows that took longest:",
                0);
  WriteTraceRows(details, RowsWithTopOps(document), kRowColumns);
  const Json rows_left_out = FieldAt(document, "rowsLeftOut");
  if (rows_left_out.is_number()) {
    details.Block("Not asked for: " + Words(rows_left_out) + " quicker rows (--top N).", 0);
  }
  const Json visits_left_out = FieldAt(document, "visitsLeftOut");
  if (visits_left_out.is_number()) {
    details.Block("Not kept: the last " + Words(visits_left_out) + " visits.", 0);
  }
  details.Block("--row N or --slowest PERCENT asks any tool about them alone.", 0);
}

void WriteMemory(Details& details, const Json& document) {
  const Json memory = FieldAt(document, "memory");
  if (!memory.is_object()) {
    details.Block("The trace holds no compiled program, so nothing is known of its buffers.", 0);
    return;
  }
  details.Heading("Memory of " + Words(FieldAt(memory, "name")));
  details.Line("peak", With(FieldAt(memory, "peakInMib"), " MiB") + ", at " +
                           Words(FieldAt(memory, "peakInstruction")));
  details.Line("unpadded", With(FieldAt(memory, "peakUnpaddedInMib"), " MiB"));
  details.Line("parameters", With(FieldAt(memory, "parametersInMib"), " MiB"));
  details.Line("outputs", With(FieldAt(memory, "outputsInMib"), " MiB"));
  details.Line("allocated", With(FieldAt(memory, "allocatedInMib"), " MiB"));
  details.Heading("At the peak, in the program's order");
  WriteTraceRows(details, FieldAt(memory, "buffers"), kBufferColumns);
  WriteList(details, "Programs in the trace (--module NAME)", FieldAt(document, "modules"));
}

void WriteAllocators(Details& details, const Json& document) {
  const Json allocators = FieldAt(document, "allocators");
  if (!allocators.is_object() || allocators.empty()) {
    details.Block("No allocator told of its memory: TensorFlow's do, JAX's do not.", 0);
    return;
  }
  for (const auto& [name, allocator] : allocators.items()) {
    details.Heading("Allocator " + Visible(name));
    details.Line("peak", With(FieldAt(allocator, "peak.usedInBytes"), " bytes"));
    details.Line("at", With(FieldAt(allocator, "peak.timeInMs"), " ms"));
    details.Line("peak of its life", With(FieldAt(allocator, "lifetimePeakInBytes"), " bytes"));
    details.Line("capacity", With(FieldAt(allocator, "capacityInBytes"), " bytes"));
    WriteTraceRows(details, FieldAt(allocator, "activeAtPeak"),
                   {{"BYTES", "sizeInBytes"}, {"SHAPE", "shape"}, {"OPERATION", "op"}});
  }
}

}  // namespace

std::string TraceDetails(const std::string& tool, const Json& document) {
  Details details;
  if (tool == "overview_page") WriteOverview(details, document);
  if (tool == "input_pipeline_analyzer") WriteInput(details, document);
  if (tool == "op_profile") WriteTraceRows(details, TreeRows(document), kTreeColumns);
  if (tool == "hlo_stats") WriteTraceRows(details, FieldAt(document, "ops"), kHloColumns);
  if (tool == "memory_viewer") WriteMemory(details, document);
  if (tool == "memory_profile") WriteAllocators(details, document);
  if (tool == "rows") WriteRows(details, document);
  return details.Take();
}

Table TraceTable(const std::string& tool, const Json& document) {
  if (tool == "overview_page") return TableOfRows(FieldAt(document, "topOps"), kTopOpColumns);
  if (tool == "input_pipeline_analyzer")
    return TableOfRows(FieldAt(document, "steps"), kStepColumns);
  if (tool == "op_profile") return TableOfRows(TreeRows(document), kTreeColumns);
  if (tool == "hlo_stats") return TableOfRows(FieldAt(document, "ops"), kHloColumns);
  if (tool == "memory_viewer")
    return TableOfRows(FieldAt(document, "memory.buffers"), kBufferColumns);
  if (tool == "rows") return TableOfRows(RowsWithTopOps(document), kRowColumns);
  return {};
}

}  // namespace mlprof::client::cli
