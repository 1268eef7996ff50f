// What of a program's memory at its peak is padding, and what is f32. Pure.
#pragma once

#include "server/devices/xspace/heap_timeline.h"

namespace mlprof::server::xspace {

/// In bytes.
struct PeakCosts {
  double peak = 0;         // as memory_viewer has it
  double padding = 0;      // of it: what the buffers that stand there take beyond their elements
  double f32 = 0;          // of it, with padding
  double f32_as_bf16 = 0;  // what the same buffers would take at most in bfloat16
};

PeakCosts PeakCostsOf(const HloModule& module, const HeapTimeline& heap, const TimeLimit& time);

}  // namespace mlprof::server::xspace
