#include "server/devices/xspace/device_costs.h"

#include <algorithm>

#include "server/devices/xspace/program_costs.h"
#include "server/devices/xspace/ratio.h"

namespace mlprof::server::xspace {
namespace {

constexpr double kBfloat16Capability = 8;

std::optional<bool> HasBfloat16(const Trace& trace, Hardware hardware) {
  if (hardware == Hardware::kTpu) return true;
  if (hardware == Hardware::kCpu) return std::nullopt;
  for (const Plane* gpu : Gpus(trace)) {
    const auto major = gpu->OwnStat("compute_cap_major");
    if (major && major->Number() > 0) return major->Number() >= kBfloat16Capability;
  }
  return std::nullopt;
}

// How much each costs, as a share of all time; 0 for what is below its threshold.
CostsMost Judge(const DeviceCosts& costs, const std::string& input_bound) {
  if (input_bound == "highly") return CostsMost::kInput;
  double most = 0;
  CostsMost out = costs.input_percent ? CostsMost::kNone : CostsMost::kUnknown;
  const auto weigh = [&](CostsMost what, double percent) {
    if (percent <= most) return;
    most = percent;
    out = what;
  };
  if (input_bound == "moderately") weigh(CostsMost::kInput, *costs.input_percent);
  if (!costs.ops) return out;
  const double padding = costs.PercentOfAllTime(costs.ops->padding_ps);
  if (padding >= kPaddingWorthPercent) weigh(CostsMost::kPadding, padding);
  const double f32 = costs.PercentOfAllTime(costs.ops->f32_ps);
  if (f32 >= kF32WorthPercent && costs.MayUseBfloat16())
    weigh(CostsMost::kPrecision, f32 * kSavedByHalving);
  return out;
}

}  // namespace

std::string_view Name(CostsMost what) {
  switch (what) {
    case CostsMost::kNone: return "none";
    case CostsMost::kInput: return "input";
    case CostsMost::kPadding: return "padding";
    case CostsMost::kPrecision: return "precision";
    default: return "unknown";
  }
}

double DeviceCosts::PercentOfAllTime(double self_ps) const {
  return ops ? computing_share * PercentOf(self_ps, ops->all_ps) : 0;
}

DeviceCosts FindDeviceCosts(const Trace& trace, const OpTable& ops, const Bottleneck& bottleneck,
                            const TimeLimit& time, const HloLimits& programs_read) {
  DeviceCosts out;
  out.hardware = ops.hardware;
  out.has_bfloat16 = HasBfloat16(trace, ops.hardware);
  if (bottleneck.input != "unknown") out.input_percent = bottleneck.input_percent;
  if (ops.chip_ps > 0) out.duty_cycle_percent = PercentOf(ops.busy_ps, ops.chip_ps);
  const ProgramCosts programs = ReadProgramCosts(trace, programs_read, time);
  out.programs_not_read = programs.not_read;
  if (!programs.largest.empty()) {
    out.program = programs.largest;
    out.peak = programs.peak;
  }
  const OpCosts costs = SumOpCosts(ops, programs.products, time);
  if (costs.all_ps > 0) {
    out.ops = costs;
    out.computing_share = std::min(1.0, Ratio(costs.all_ps, ops.total_ps));
  }
  out.costs_most = Judge(out, bottleneck.input);
  return out;
}

}  // namespace mlprof::server::xspace
