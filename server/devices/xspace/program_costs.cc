#include "server/devices/xspace/program_costs.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::int64_t kMainMemory = 0;  // HBM

}  // namespace

ProgramCosts ReadProgramCosts(const Trace& trace, HloLimits limits, const TimeLimit& time) {
  ProgramCosts out;
  double most = -1;
  for (const auto& [name, bytes] : HloProtos(trace)) {
    if (time.OverNow()) break;
    const auto module = ReadHlo(bytes, limits);
    if (!module) {
      ++out.not_read;
      continue;
    }
    MatrixIndex products = FindMatrixOperands(bytes, *module, time);
    const auto id = ProgramIdOf(name);
    if (id && !products.empty()) out.products[*id] = std::move(products);
    const HeapTimeline heap = WalkHeap(*module, kMainMemory, time);
    if (heap.peak <= most) continue;
    most = heap.peak;
    out.largest = CutName(name);
    out.peak = PeakCostsOf(*module, heap, time);
  }
  return out;
}

}  // namespace mlprof::server::xspace
