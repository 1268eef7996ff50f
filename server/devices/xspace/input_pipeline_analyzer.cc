// Does the program wait for its input, and what on the host makes it wait?
#include <algorithm>
#include <array>

#include "server/devices/xspace/bottleneck.h"
#include "server/devices/xspace/input_ops.h"
#include "server/devices/xspace/left_out.h"
#include "server/devices/xspace/step_json.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kMostInputRows = 1'000;

using ByClass = std::array<double, kInputClasses>;

double& At(ByClass& sums, InputClass input_class) {
  return sums[static_cast<std::size_t>(input_class)];
}

// Which share of the steps went into moving input to the device; 0 where that is not known.
double EnqueueShare(const StepTable& table) {
  double moved = 0, total = 0;
  for (const Step& step : table.steps) {
    moved += step.Ms(Activity::kHostToDevice);
    total += step.DurationMs();
  }
  return total > 0 ? std::min(1.0, moved / total) : 0;
}

// The host works ahead of the device, so its own times are scaled to what the device waits for.
Json HostBreakdown(const std::vector<InputOp>& ops, const StepTable& table) {
  ByClass us{};
  for (const InputOp& op : ops) At(us, op.input_class) += op.self_ps / 1e6;
  const double enqueue = At(us, InputClass::kEnqueue);
  const double told = At(us, InputClass::kDemandedRead) + At(us, InputClass::kAdvancedRead) +
                      At(us, InputClass::kPreprocessing);
  const double share = EnqueueShare(table);
  const double others = share > 0 ? enqueue * (1 - share) / share : told;
  const auto scaled = [&](InputClass input_class) {
    return told > 0 ? others * At(us, input_class) / told : 0.0;
  };
  return {{"enqueueInUs", enqueue},
          {"demandedFileReadInUs", scaled(InputClass::kDemandedRead)},
          {"advancedFileReadInUs", scaled(InputClass::kAdvancedRead)},
          {"preprocessingInUs", scaled(InputClass::kPreprocessing)},
          {"unclassifiedInUs", told > 0 ? 0.0 : std::max(0.0, others)}};
}

Json InputOpsJson(const std::vector<InputOp>& ops) {
  double self = 0;
  for (const InputOp& op : ops) self += op.self_ps;
  const auto percent = [&](double ps) { return self > 0 ? 100 * ps / self : 0.0; };
  Json out = Json::array();
  for (std::size_t i = 0; i < ops.size() && i < kMostInputRows; ++i) {
    const InputOp& op = ops[i];
    out.push_back({{"name", std::string(op.name)},
                   {"class", Name(op.input_class)},
                   {"count", op.count},
                   {"timeInMs", op.time_ps / 1e9},
                   {"timePercent", percent(op.time_ps)},
                   {"selfTimeInMs", op.self_ps / 1e9},
                   {"selfTimePercent", percent(op.self_ps)}});
  }
  return out;
}

Json NextSteps(const Bottleneck& bottleneck, const std::vector<InputOp>& ops) {
  Json out = Json::array();
  if (bottleneck.input == "unknown") {
    out.push_back(
        "Mark the steps: jax.profiler.StepTraceAnnotation(\"serve\", step_num=n), or "
        "tf.profiler.experimental.Trace around each.");
    return out;
  }
  if (bottleneck.input == "not") return out;
  if (ops.empty()) {
    out.push_back(
        "The host's input operations are not in the trace: use tf.data, or name the stages "
        "of your own with TraceAnnotation(…, _ipl_stage_id, _ipl_stage_name, "
        "_ipl_stage_cat).");
    return out;
  }
  switch (ops.front().input_class) {
    case InputClass::kEnqueue: out.push_back("Move fewer, larger pieces to the device."); break;
    case InputClass::kDemandedRead:
      out.push_back("Read files ahead: prefetch and interleave, with a larger buffer.");
      break;
    case InputClass::kAdvancedRead:
      out.push_back("Read more files at a time, or prefetch more of them.");
      break;
    default:
      out.push_back("Prepare several inputs at a time (num_parallel_calls), or once beforehand.");
  }
  return out;
}

}  // namespace

Json InputPipelineAnalyzer(const Trace& trace, const TimeLimit& time) {
  const StepTable table = CollectSteps(trace, time);
  const Bottleneck bottleneck = JudgeSteps(table);
  const std::vector<InputOp> ops = CollectInputOps(trace, time);
  Json out = {{"hardware", Name(table.hardware)},       {"verdict", BottleneckJson(bottleneck)},
              {"summary", StepTimesJson(table)},        {"steps", StepListJson(table)},
              {"host", HostBreakdown(ops, table)},      {"inputOps", InputOpsJson(ops)},
              {"nextSteps", NextSteps(bottleneck, ops)}};
  TellLeftOut(out, "steps", table.steps.size() - out["steps"].size());
  TellLeftOut(out, "inputOps", ops.size() - out["inputOps"].size());
  return out;
}

}  // namespace mlprof::server::xspace
