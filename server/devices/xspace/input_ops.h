// What the host does to bring input to the device, operation by operation. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "server/devices/xspace/time_limit.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

enum class InputClass { kEnqueue, kDemandedRead, kAdvancedRead, kPreprocessing, kUnknown };
inline constexpr int kInputClasses = 5;
std::string_view Name(InputClass input_class);

struct InputOp {
  std::string_view name;  // in the trace's bytes; at most kLongestName
  InputClass input_class = InputClass::kUnknown;
  double count = 0;
  double time_ps = 0;
  double self_ps = 0;  // without the input operations nested in it
};

/// The most self time first.
std::vector<InputOp> CollectInputOps(const Trace& trace, const TimeLimit& time = {});

}  // namespace mlprof::server::xspace
