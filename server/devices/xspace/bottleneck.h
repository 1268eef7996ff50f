// What holds a program up, judged by the shares of its steps' time. Pure.
#pragma once

#include <string>
#include <vector>

#include "server/devices/xspace/steps.h"

namespace mlprof::server::xspace {

struct Bottleneck {
  double input_percent = 0;  // of the steps' time, spent waiting for input
  double output_percent = 0;
  double idle_percent = 0;  // of TPU: idle for another reason; else what no event explains
  double compute_percent = 0;
  std::string input;  // "highly", "moderately", "potentially", "not"; "unknown" without steps
  std::string classification;  // where to look: "host", "both", "device"; "unknown"
  std::string statement;
  std::vector<std::string> also;  // what else takes more than its due
};

Bottleneck JudgeSteps(const StepTable& table);

}  // namespace mlprof::server::xspace
