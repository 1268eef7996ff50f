#include "server/devices/xspace/bottleneck.h"

#include <algorithm>
#include <cstdio>

namespace mlprof::server::xspace {
namespace {

constexpr double kHighPercent = 20;  // waiting for input, or sending output
constexpr double kModeratePercent = 5;
constexpr double kHighOtherPercent = 15;  // launches, collectives, what nothing explains
constexpr double kModerateOtherPercent = 3;
constexpr double kCoreIdlePercent = 3;
constexpr double kAllReducePercent = 6;

std::string Percent(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", value);
  return text;
}

// Sums over all steps, in ms.
struct Sums {
  double step = 0, input = 0, output = 0, idle = 0, launch = 0, collectives = 0, all_reduce = 0;
};

Sums SumsOf(const StepTable& table) {
  Sums sums;
  for (const Step& step : table.steps) {
    sums.step += step.DurationMs();
    if (table.hardware == Hardware::kTpu) {
      sums.input += step.cores.infeed;
      sums.output += step.cores.outfeed;
      sums.idle += step.cores.idle;
      sums.all_reduce += step.cores.all_reduce;
      continue;
    }
    sums.input += step.Ms(Activity::kWaitForInput) + step.Ms(Activity::kHostToDevice) +
                  step.Ms(Activity::kWaitForHost);
    sums.output += step.Ms(Activity::kDeviceToHost);
    sums.idle += step.Ms(Activity::kOther);
    sums.launch += step.Ms(Activity::kHostPrepare);
    sums.collectives += step.Ms(Activity::kCollectives);
  }
  return sums;
}

void JudgeInput(bool device_has_others, Bottleneck& out) {
  const std::string share = Percent(out.input_percent) + " of the steps' time";
  if (out.input_percent >= kHighPercent) {
    out.input = "highly";
    out.classification = "host";
    out.statement = "It waits for input for " + share + ": make the input faster first.";
  } else if (out.input_percent >= kModeratePercent) {
    out.input = "moderately";
    out.classification = "both";
    out.statement =
        "It waits for input for " + share + ": both the input and the rest are worth work.";
  } else if (device_has_others && out.idle_percent >= kModerateOtherPercent) {
    out.input = "potentially";
    out.classification = "both";
    out.statement = "It waits for input for " + share + ", but " + Percent(out.idle_percent) +
                    " are explained by no event and may be the input's too.";
  } else {
    out.input = "not";
    out.classification = "device";
    out.statement = "It waits for input for only " + share + ": look at the computation.";
  }
}

void Also(double percent, double high, double moderate, const std::string& what, Bottleneck& out) {
  if (percent < moderate) return;
  out.also.push_back(what + " takes " + Percent(percent) + " of the steps' time" +
                     (percent >= high ? ", which is much" : ""));
}

}  // namespace

Bottleneck JudgeSteps(const StepTable& table) {
  Bottleneck out;
  const Sums sums = SumsOf(table);
  if (sums.step <= 0) {
    out.input = "unknown";
    out.classification = "unknown";
    out.statement = "No steps were recorded, so it cannot be told what holds the program up.";
    return out;
  }
  const auto share = [&](double ms) { return 100 * ms / sums.step; };
  const bool tpu = table.hardware == Hardware::kTpu;
  out.input_percent = share(sums.input);
  out.output_percent = share(sums.output);
  out.idle_percent = share(sums.idle);
  out.compute_percent =
      std::max(0.0, 100 - out.input_percent - out.output_percent - out.idle_percent);
  JudgeInput(!tpu, out);
  Also(out.output_percent, kHighPercent, kModeratePercent, "Output from the device", out);
  if (tpu) {
    Also(out.idle_percent, kHighOtherPercent, kCoreIdlePercent,
         "Waiting for the host for another reason than input", out);
    Also(share(sums.all_reduce), kHighOtherPercent, kAllReducePercent, "Reducing over the cores",
         out);
  } else {
    Also(share(sums.launch), kHighOtherPercent, kModerateOtherPercent, "Launching kernels", out);
    Also(share(sums.collectives), kHighOtherPercent, kModerateOtherPercent,
         "Talk between the devices", out);
    Also(out.idle_percent, kHighOtherPercent, kModerateOtherPercent, "What no event explains", out);
  }
  return out;
}

}  // namespace mlprof::server::xspace
