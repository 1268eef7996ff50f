// What the compiled programs of a trace say of what costs. Pure.
#pragma once

#include <string>

#include "server/devices/xspace/matrix_operands.h"
#include "server/devices/xspace/peak_costs.h"

namespace mlprof::server::xspace {

struct ProgramCosts {
  std::string largest;  // "jit_f(14)", whose peak is the largest; "" where no program is read
  PeakCosts peak;       // its
  MatrixIndices products;
  std::size_t not_read = 0;  // damaged programs, and those beyond HloLimits
};

ProgramCosts ReadProgramCosts(const Trace& trace, HloLimits limits, const TimeLimit& time);

}  // namespace mlprof::server::xspace
