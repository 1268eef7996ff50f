// Whether it is the input, the padding of tensors or their precision that costs a program most on
// its devices. Pure; what each figure means is in docs/DEVICE_TRACES.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "server/devices/xspace/bottleneck.h"
#include "server/devices/xspace/op_costs.h"
#include "server/devices/xspace/peak_costs.h"

namespace mlprof::server::xspace {

enum class CostsMost { kUnknown, kNone, kInput, kPadding, kPrecision };
std::string_view Name(CostsMost what);  // "unknown", "none", "input", "padding", "precision"

/// Padding is worth work from this share of all time, if time goes as bytes do. As that of input
/// which is moderately bound. Chosen, not measured.
inline constexpr double kPaddingWorthPercent = 5;
/// Products of f32 are, from this share of all time. Chosen, not measured.
inline constexpr double kF32WorthPercent = 20;
/// Of the time of products of f32 bfloat16 saves at most about this: the bytes are halved. Chosen,
/// not measured, and used for the order of what costs alone.
inline constexpr double kSavedByHalving = 0.5;

struct DeviceCosts {
  Hardware hardware = Hardware::kCpu;
  /// Whether the device computes in bfloat16: TPUs do, NVIDIA's GPUs from compute capability 8.
  /// nullopt where that is not told, and of CPUs.
  std::optional<bool> has_bfloat16;
  std::optional<double> input_percent;       // as input_pipeline_analyzer has it
  std::optional<double> duty_cycle_percent;  // as overview_page has it
  std::optional<OpCosts> ops;                // where operations took time
  double computing_share = 0;                // of all time, what the operations took: 0 to 1
  std::string program;                       // whose peak is the largest; "" without programs
  std::optional<PeakCosts> peak;             // its
  std::size_t programs_not_read = 0;
  CostsMost costs_most = CostsMost::kUnknown;

  /// Of all time, in operations that took `self_ps`.
  double PercentOfAllTime(double self_ps) const;
  /// bfloat16 may be advised: never on CPUs, of which many compute slower in it.
  bool MayUseBfloat16() const { return hardware != Hardware::kCpu && has_bfloat16.value_or(true); }
};

/// `ops` and `bottleneck` are those of the trace; no more is read of its programs than `programs`
/// has.
DeviceCosts FindDeviceCosts(const Trace& trace, const OpTable& ops, const Bottleneck& bottleneck,
                            const TimeLimit& time, const HloLimits& programs = {});

}  // namespace mlprof::server::xspace
