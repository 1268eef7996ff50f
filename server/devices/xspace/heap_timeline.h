// How a program's memory grows and shrinks while it runs, in the order of its instructions. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "server/devices/xspace/hlo_module.h"
#include "server/devices/xspace/time_limit.h"

namespace mlprof::server::xspace {

/// Of one memory of the device; in bytes.
struct HeapTimeline {
  std::vector<double> sizes;     // before each event of the heap, and after the last
  std::vector<double> unpadded;  // the same with the temporaries as large as their elements
  std::vector<std::string_view> instructions;  // of the events, and "" after the last
  double peak = 0;
  double unpadded_peak = 0;
  std::size_t peak_position = 0;                 // the event that reached it
  double indefinite = 0;                         // what lasts as long as the program
  std::vector<std::int64_t> indefinite_buffers;  // the largest of each such allocation
  std::vector<std::int64_t> live_at_peak;        // temporaries
  std::map<std::int64_t, std::pair<std::size_t, std::size_t>> spans;  // of temporaries, in events
};

HeapTimeline WalkHeap(const HloModule& module, std::int64_t memory_space,
                      const TimeLimit& time = {});

/// An encoded shape that is longer is not looked into.
inline constexpr std::size_t kLongestShape = 1U << 20U;

/// As its elements are large, without padding. A shape of more than a MiB is not looked into: its
/// buffer is as large as it says.
double UnpaddedBytes(const HloModule& module, const LogicalBuffer& buffer);

}  // namespace mlprof::server::xspace
