#include "server/devices/xspace/peak_costs.h"

#include <algorithm>

#include "server/devices/xspace/tensor_bytes.h"

namespace mlprof::server::xspace {
namespace {

void AddBuffer(const HloModule& module, const LogicalBuffer& buffer, PeakCosts& out) {
  const HloInstruction* instruction = module.InstructionOf(buffer);
  if (buffer.size <= 0 || instruction == nullptr || instruction->shape.size() > kLongestShape)
    return;
  const DecodedShape decoded = DecodeShape(instruction->shape, buffer.shape_index);
  const auto bytes = decoded.is_array ? BytesOf(decoded.shape) : std::nullopt;
  if (!bytes) return;
  const auto size = static_cast<double>(buffer.size);
  out.padding += std::max(0.0, size - bytes->unpadded);
  if (!IsF32(decoded.shape)) return;
  out.f32 += size;
  const auto halved = BytesOf(InBfloat16(decoded.shape));
  // Half of what it takes is the least, whatever the layout does not tell of.
  out.f32_as_bf16 += std::clamp(halved ? halved->padded : size, size / 2, size);
}

}  // namespace

PeakCosts PeakCostsOf(const HloModule& module, const HeapTimeline& heap, const TimeLimit& time) {
  PeakCosts out;
  const auto add = [&](const std::vector<std::int64_t>& ids) {
    for (const std::int64_t id : ids) {
      if (time.OverNow()) return;  // a shape may be a MiB
      const auto found = module.buffers.find(id);
      if (found != module.buffers.end()) AddBuffer(module, found->second, out);
    }
  };
  add(heap.indefinite_buffers);
  add(heap.live_at_peak);
  // A trace may give one buffer to many allocations: what stands at the peak is no more than it.
  out.peak = std::max(0.0, heap.peak);
  out.padding = std::min(out.padding, out.peak);
  if (out.f32 > out.peak) {
    out.f32_as_bf16 *= out.peak / out.f32;
    out.f32 = out.peak;
  }
  return out;
}

}  // namespace mlprof::server::xspace
