#include "server/devices/xspace/op_card.h"

#include <algorithm>

#include "server/devices/xspace/instruction_text.h"
#include "server/devices/xspace/ratio.h"
#include "server/devices/xspace/shape.h"

namespace mlprof::server::xspace {
namespace {

std::string Shortened(std::string_view text) { return std::string(CutOpText(text)); }

// One resource of the device: how much of it was used, and what an operation of this intensity
// could compute at its peak.
struct Limit {
  const char* name;
  double used;
  double flops_per_second;
};

// The shape an instruction gives; none of a tuple.
std::string_view ShapeOf(const Op& op) {
  if (!op.shape.empty()) return op.shape;
  const std::string_view result = SplitInstruction(op.text).result;
  return result.starts_with('(') ? "" : result;
}

Json LayoutJson(const Shape& shape) {
  Json out = Json::array();
  for (const LaidOutDimension& one : LayoutOf(shape)) {
    const std::int64_t over = one.size % one.alignment;
    const std::int64_t padded = over == 0 ? one.size : one.size + one.alignment - over;
    out.push_back({{"size", one.size},
                   {"alignment", one.alignment},
                   {"paddingPercent", 100 * Ratio(static_cast<double>(padded - one.size),
                                                  static_cast<double>(padded))}});
  }
  return out;
}

}  // namespace

Roofline RooflineOf(const Op& op, const DevicePeaks& peaks) {
  Roofline out;
  const double seconds = op.time_ps / 1e12;
  out.flops_per_second = Ratio(op.flops, seconds);
  out.model_flops_per_second = Ratio(op.model_flops, seconds);
  out.bytes_per_second = Ratio(op.bytes.all, seconds);
  out.hbm_bytes_per_second = Ratio(op.bytes.hbm, seconds);
  out.intensity = Ratio(op.flops, op.bytes.all);
  out.flops_utilization = Ratio(out.flops_per_second, peaks.flops_per_second);
  std::vector<Limit> limits;
  const auto memory = [&](const char* name, double bytes, double peak) {
    if (bytes <= 0 || peak <= 0) return;
    const double used = Ratio(Ratio(bytes, seconds), peak);
    out.memory_utilization = std::max(out.memory_utilization, used);
    limits.push_back({name, used, peak * Ratio(op.flops, bytes)});
  };
  memory("HBM", op.bytes.hbm, peaks.hbm_bytes_per_second);
  memory("CMEM Read", op.bytes.cmem_read, peaks.cmem_read_bytes_per_second);
  memory("CMEM Write", op.bytes.cmem_write, peaks.cmem_write_bytes_per_second);
  memory("VMEM Read", op.bytes.vmem_read, peaks.vmem_read_bytes_per_second);
  memory("VMEM Write", op.bytes.vmem_write, peaks.vmem_write_bytes_per_second);
  out.efficiency = std::max(out.memory_utilization, out.flops_utilization);
  out.optimal_flops_per_second = Ratio(out.flops_per_second, out.efficiency);
  out.bound_by = "Unknown";
  double lowest = peaks.flops_per_second;
  if (peaks.flops_per_second > 0 && op.flops > 0) out.bound_by = "Compute";
  for (const Limit& limit : limits) {
    if (out.bound_by != "Unknown" && limit.flops_per_second >= lowest) continue;
    out.bound_by = limit.name;
    lowest = limit.flops_per_second;
  }
  return out;
}

Json RooflineJson(const Roofline& roofline) {
  return {{"gflopsPerSecond", roofline.flops_per_second / 1e9},
          {"modelGflopsPerSecond", roofline.model_flops_per_second / 1e9},
          {"memoryGibPerSecond", roofline.bytes_per_second / kBytesOfGib},
          {"hbmGibPerSecond", roofline.hbm_bytes_per_second / kBytesOfGib},
          {"flopsPerByte", roofline.intensity},
          {"flopsUtilization", roofline.flops_utilization},
          {"memoryUtilization", roofline.memory_utilization},
          {"rooflineEfficiency", roofline.efficiency},
          {"optimalGflopsPerSecond", roofline.optimal_flops_per_second / 1e9},
          {"boundBy", roofline.bound_by}};
}

Json OpCardJson(const Op& op, const DevicePeaks& peaks) {
  const std::string_view shape_text = ShapeOf(op);
  Json out = {
      {"expression", Shortened(op.text)},           {"provenance", Shortened(op.provenance)},
      {"category", Shortened(op.category)},         {"source", Shortened(op.source)},
      {"programId", std::to_string(op.program_id)}, {"shape", Shortened(shape_text)}};
  if (const auto shape = ParseShape(shape_text)) {
    const double unpadded = UnpaddedBytes(*shape);
    const double padded = PaddedBytes(*shape);
    out["layout"] = LayoutJson(*shape);
    out["unpaddedInBytes"] = unpadded;
    out["paddedInBytes"] = padded;
    out["expansion"] = Ratio(padded, unpadded);
  }
  if (op.time_ps > 0) out["roofline"] = RooflineJson(RooflineOf(op, peaks));
  return out;
}

}  // namespace mlprof::server::xspace
