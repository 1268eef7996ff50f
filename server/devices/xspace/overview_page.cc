// How long a step takes, what it is spent on, how busy the devices are, and what to look at next.
#include <algorithm>
#include <map>

#include "server/devices/xspace/bottleneck.h"
#include "server/devices/xspace/cost_advice.h"
#include "server/devices/xspace/device_costs.h"
#include "server/devices/xspace/framework_name.h"
#include "server/devices/xspace/left_out.h"
#include "server/devices/xspace/op_metrics.h"
#include "server/devices/xspace/ratio.h"
#include "server/devices/xspace/step_json.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kTopOps = 10;
constexpr std::size_t kMostNames = 1'000;  // of hosts and of programs
constexpr std::size_t kMostMessages = 100;

// An operation of the model's code: what the compiler made of it, taken together.
struct FrameworkOp {
  std::string name;
  std::string type;
  double self_ps = 0;
  double time_ps = 0;
  double flops = 0;
};

std::vector<FrameworkOp> FrameworkOps(const OpTable& table) {
  std::map<std::string, FrameworkOp> by_name;
  for (const Op& op : table.ops) {
    const FrameworkName name = ParseFrameworkName(op.provenance);
    FrameworkOp& sum = by_name[name.name.empty() ? op.name : name.name];
    sum.name = name.name.empty() ? op.name : name.name;
    if (sum.type.empty()) sum.type = name.type;
    sum.self_ps += op.self_ps;
    sum.time_ps += op.time_ps;
    sum.flops += op.flops;
  }
  std::vector<FrameworkOp> out;
  for (auto& [name, op] : by_name) out.push_back(std::move(op));
  std::stable_sort(out.begin(), out.end(), [](const FrameworkOp& a, const FrameworkOp& b) {
    return a.self_ps > b.self_ps;
  });
  return out;
}

Json TopOpsJson(const OpTable& table) {
  const std::vector<FrameworkOp> ops = FrameworkOps(table);
  const double self = table.SelfPs();
  double cumulative = 0;
  Json out = Json::array();
  for (std::size_t i = 0; i < ops.size() && i < kTopOps; ++i) {
    const double percent = PercentOf(ops[i].self_ps, self);
    cumulative += percent;
    out.push_back(
        {{"name", ops[i].name},
         {"type", ops[i].type},
         {"selfTimePercent", percent},
         {"cumulativePercent", cumulative},
         {"selfTimeInMs", ops[i].self_ps / 1e9},
         {"gflopsPerSecond", ops[i].time_ps > 0 ? ops[i].flops / (ops[i].time_ps / 1e3) : 0.0}});
  }
  return out;
}

// Over the whole time, idle included: what the devices did of what they could have done.
double FlopsPercent(const OpTable& table) {
  double flops = 0;
  for (const Op& op : table.ops) {
    if (!op.HasChildren()) flops += op.flops;
  }
  return PercentOf(flops, table.peaks.flops_per_second * table.total_ps / 1e12);
}

Json DeviceJson(const Trace& trace, const OpTable& table, const StepTable& steps) {
  Json out = {{"idlePercent", PercentOf(table.IdlePs(), table.total_ps)},
              {"dutyCyclePercent", PercentOf(table.busy_ps, table.chip_ps)},
              {"flopsUtilizationPercent", FlopsPercent(table)}};
  if (table.hardware == Hardware::kGpu) {
    out["compute16BitPercent"] =
        PercentOf(steps.compute_ms_16bit, steps.compute_ms_16bit + steps.compute_ms_32bit);
  }
  const Plane* host = trace.FindPlane(kHostPlane);
  if (host == nullptr || trace.part_ps) return out;  // what follows is told of the whole
  const auto matrix_unit = host->OwnStat("matrix_unit_utilization_percent");
  if (matrix_unit) out["matrixUnitUtilizationPercent"] = matrix_unit->Number();
  const auto hbm = host->OwnStat("hbm_utilization_percent");
  if (hbm) out["hbmUtilizationPercent"] = hbm->Number();
  return out;
}

Json EnvironmentJson(const Trace& trace, const OpTable& table) {
  Json programs = Json::array();
  for (const auto& [id, name] : table.programs) {
    if (programs.size() >= kMostNames) break;
    programs.push_back(name + "(" + std::to_string(id) + ")");
  }
  const std::size_t left_out = table.programs.size() - programs.size();
  const bool has_device = table.hardware != Hardware::kCpu;
  Json out = {{"deviceType", has_device ? table.device_type : "CPU"},
              {"deviceCount", has_device ? table.devices : 0},
              {"hostCount", std::max<std::size_t>(1, trace.hostnames.size())},
              {"programs", std::move(programs)},
              {"eventCount", trace.EventCount()}};
  TellLeftOut(out, "programs", left_out);
  SetTexts(out, "hosts", trace.hostnames, kMostNames);
  return out;
}

// Of the steps' time: on the host, on the device, waiting.
Json SplitJson(const StepTable& steps, const Bottleneck& bottleneck) {
  if (steps.steps.empty()) return nullptr;
  double total = 0, host = 0;
  for (const Step& step : steps.steps) {
    total += step.DurationMs();
    host += step.Ms(Activity::kHostCompute) + step.Ms(Activity::kHostCompile) +
            step.Ms(Activity::kHostToHost) + step.Ms(Activity::kHostPrepare);
    if (steps.hardware == Hardware::kTpu) host += step.cores.host_transfer;
  }
  const double host_percent = PercentOf(host, total);
  return {{"hostPercent", host_percent},
          {"inputPercent", bottleneck.input_percent},
          {"outputPercent", bottleneck.output_percent},
          {"otherPercent", bottleneck.idle_percent},
          {"devicePercent", std::max(0.0, bottleneck.compute_percent - host_percent)}};
}

void Append(const std::vector<std::string>& advice, Json& list) {
  for (const std::string& one : advice) list.push_back(one);
}

// What costs most first.
Json NextStepsJson(const Bottleneck& bottleneck, const DeviceCosts& costs) {
  const Hardware hardware = costs.hardware;
  const std::vector<std::string> advice = AdviceOn(costs);
  const bool input_first = costs.costs_most == CostsMost::kInput;
  Json out = Json::array();
  if (!input_first) Append(advice, out);
  if (bottleneck.classification == "host" || bottleneck.classification == "both") {
    out.push_back("input_pipeline_analyzer: which input operation takes the time");
    out.push_back("trace_viewer: what the host's threads do between the steps");
  }
  if (input_first) Append(advice, out);
  if (hardware != Hardware::kCpu && bottleneck.classification != "host") {
    out.push_back("op_profile: which operations take the device's time, and what limits them");
    out.push_back("hlo_stats: how near each of them is to what the device can do");
  }
  if (hardware == Hardware::kCpu && bottleneck.classification == "device") {
    out.push_back("op_profile: which of the compiled operations take the processor's time");
  }
  out.push_back("memory_viewer: what takes the memory of a program at its peak");
  return out;
}

}  // namespace

Json OverviewPage(const Trace& trace, const TimeLimit& time) {
  const OpTable ops = CollectOps(trace, time);
  const StepTable steps = CollectSteps(trace, time);
  const Bottleneck bottleneck = JudgeSteps(steps);
  const DeviceCosts costs = FindDeviceCosts(trace, ops, bottleneck, time);
  Json out = {{"hardware", Name(ops.hardware)},
              {"environment", EnvironmentJson(trace, ops)},
              {"steps", StepTimesJson(steps)},
              {"split", SplitJson(steps, bottleneck)},
              {"device", DeviceJson(trace, ops, steps)},
              {"topOps", TopOpsJson(ops)},
              {"verdict", BottleneckJson(bottleneck)},
              {"costsMost", Name(costs.costs_most)},
              {"padding", PaddingJson(costs)},
              {"precision", PrecisionJson(costs)},
              {"nextSteps", NextStepsJson(bottleneck, costs)}};
  if (costs.programs_not_read > 0) out["programsNotRead"] = costs.programs_not_read;
  SetTexts(out, "errors", trace.errors, kMostMessages);
  SetTexts(out, "warnings", trace.warnings, kMostMessages);
  return out;
}

}  // namespace mlprof::server::xspace
