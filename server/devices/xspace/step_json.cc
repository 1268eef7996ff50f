#include "server/devices/xspace/step_json.h"

#include <utility>

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kMostSteps = 10'000;

using StepPart = std::pair<const char*, double>;
using StepParts = std::vector<StepPart>;

// What a step's time is told as; the order is that of the document.
StepParts PartsOf(Hardware hardware, const Step& step) {
  if (hardware == Hardware::kTpu) {
    const CoreTimes& core = step.cores;
    return {{"computeInMs", core.compute},
            {"inputInMs", core.infeed},
            {"outputInMs", core.outfeed},
            {"idleInMs", core.idle},
            {"hostTransferInMs", core.host_transfer}};
  }
  return {{"deviceComputeInMs",
           step.Ms(Activity::kDeviceCompute16) + step.Ms(Activity::kDeviceCompute32)},
          {"deviceToDeviceInMs",
           step.Ms(Activity::kDeviceToDevice) + step.Ms(Activity::kWaitForDevice)},
          {"collectivesInMs", step.Ms(Activity::kCollectives)},
          {"hostComputeInMs", step.Ms(Activity::kHostCompute) + step.Ms(Activity::kHostToHost)},
          {"kernelLaunchInMs", step.Ms(Activity::kHostPrepare)},
          {"inputInMs", step.Ms(Activity::kWaitForInput) + step.Ms(Activity::kHostToDevice) +
                            step.Ms(Activity::kWaitForHost)},
          {"outputInMs", step.Ms(Activity::kDeviceToHost)},
          {"compileInMs", step.Ms(Activity::kHostCompile)},
          {"otherInMs", step.Ms(Activity::kOther)}};
}

double InputPercent(Hardware hardware, const Step& step) {
  if (hardware == Hardware::kTpu) return step.cores.infeed_percent_average;
  const double input = step.Ms(Activity::kWaitForInput) + step.Ms(Activity::kHostToDevice) +
                       step.Ms(Activity::kWaitForHost);
  return step.DurationMs() > 0 ? 100 * input / step.DurationMs() : 0;
}

}  // namespace

Json SummaryJson(const Summary& summary) {
  return {{"average", summary.average},
          {"standardDeviation", summary.deviation},
          {"minimum", summary.least},
          {"maximum", summary.most}};
}

Json StepTimesJson(const StepTable& table) {
  std::vector<double> times, percents;
  std::vector<std::pair<const char*, std::vector<double>>> parts;
  for (const Step& step : table.steps) {
    times.push_back(step.DurationMs());
    percents.push_back(InputPercent(table.hardware, step));
    const StepParts fields = PartsOf(table.hardware, step);
    if (parts.empty()) {
      for (const auto& [name, value] : fields) parts.push_back({name, {}});
    }
    for (std::size_t i = 0; i < fields.size(); ++i) parts[i].second.push_back(fields[i].second);
  }
  Json out = {{"count", table.steps.size()},
              {"stepTimeInMs", SummaryJson(Summarize(times))},
              {"inputPercent", SummaryJson(Summarize(percents))}};
  for (const auto& [name, values] : parts) out[name] = SummaryJson(Summarize(values));
  return out;
}

Json StepListJson(const StepTable& table) {
  Json out = Json::array();
  for (std::size_t i = 0; i < table.steps.size() && i < kMostSteps; ++i) {
    const Step& step = table.steps[i];
    Json entry = {{"name", Text(step.name)},
                  {"startInMs", static_cast<double>(step.span.start_ps) / 1e9},
                  {"stepTimeInMs", step.DurationMs()},
                  {"inputPercent", InputPercent(table.hardware, step)}};
    for (const auto& [name, value] : PartsOf(table.hardware, step)) entry[name] = value;
    if (table.hardware == Hardware::kTpu) {
      entry["inputPercentLeast"] = step.cores.infeed_percent_least;
      entry["inputPercentMost"] = step.cores.infeed_percent_most;
      entry["slowestInputCore"] = step.cores.slowest_infeed_core;
    }
    out.push_back(std::move(entry));
  }
  return out;
}

Json BottleneckJson(const Bottleneck& bottleneck) {
  return {{"inputBound", bottleneck.input},
          {"lookAt", bottleneck.classification},
          {"statement", bottleneck.statement},
          {"inputPercent", bottleneck.input_percent},
          {"outputPercent", bottleneck.output_percent},
          {"idlePercent", bottleneck.idle_percent},
          {"computePercent", bottleneck.compute_percent},
          {"also", bottleneck.also}};
}

}  // namespace mlprof::server::xspace
