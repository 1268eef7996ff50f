#include "server/devices/xspace/cost_advice.h"

#include <algorithm>
#include <cstdio>

#include "server/devices/xspace/ratio.h"

namespace mlprof::server::xspace {
namespace {

// Memory is worth a sentence from so much, a thousandth of a small device's, and from this share of
// the peak. Both chosen, not measured.
constexpr double kWorthBytes = 16 * kBytesOfMib;
constexpr double kWorthPeakPercent = 10;
constexpr std::size_t kLongestNameInAdvice = 120;

std::string Decimals(double value, int digits, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
  return text;
}

std::string MibText(double bytes) { return Decimals(bytes / kBytesOfMib, 1, " MiB"); }

std::string CutForAdvice(const std::string& text) {
  return text.size() > kLongestNameInAdvice ? text.substr(0, kLongestNameInAdvice) + "…" : text;
}

std::string OfThePeak(const DeviceCosts& costs) {
  return "of the " + MibText(costs.peak->peak) + " at the peak of " + CutForAdvice(costs.program);
}

// Of programs that were not read one may have a larger peak.
bool IsMuchMemory(const DeviceCosts& costs, double bytes) {
  return costs.programs_not_read == 0 && bytes >= kWorthBytes &&
         PercentOf(bytes, costs.peak->peak) >= kWorthPeakPercent;
}

std::string PaddingInTime(const DeviceCosts& costs) {
  if (!costs.ops || costs.ops->most_padded.empty()) return "";
  const OpCosts& ops = *costs.ops;
  if (costs.PercentOfAllTime(ops.padding_ps) < kPaddingWorthPercent) return "";
  const PaddedOp& first = ops.most_padded.front();
  return Decimals(PercentOf(ops.padded_ps, ops.all_ps), 1, "%") +
         " of the operations' time goes to those whose tensors are padded to " +
         Decimals(kPaddedExpansion, 2, " times") + " their elements or more, first of all " +
         CutForAdvice(first.name) + " (" + CutForAdvice(first.shape) + ", " +
         Decimals(first.expansion, 1, " times") +
         "): choose dimensions that fill whole tiles (batch, features), or join small ones.";
}

std::string PaddingInMemory(const DeviceCosts& costs) {
  if (!costs.peak || !IsMuchMemory(costs, costs.peak->padding)) return "";
  return MibText(costs.peak->padding) + " " + OfThePeak(costs) +
         " are padding (memory_viewer: of which buffers).";
}

std::string PrecisionInTime(const DeviceCosts& costs) {
  if (!costs.ops || costs.PercentOfAllTime(costs.ops->f32_ps) < kF32WorthPercent) return "";
  return Decimals(PercentOf(costs.ops->f32_ps, costs.ops->all_ps), 1, "%") +
         " of the operations' time goes to matrix multiplications and convolutions of f32: in "
         "bfloat16 their operands have half the bytes.";
}

std::string PrecisionInMemory(const DeviceCosts& costs) {
  if (!costs.peak || !IsMuchMemory(costs, costs.peak->f32 - costs.peak->f32_as_bf16)) return "";
  return MibText(costs.peak->f32) + " " + OfThePeak(costs) +
         " are f32; the same buffers take at most " + MibText(costs.peak->f32_as_bf16) +
         " in bfloat16.";
}

// JAX multiplies f32 in bfloat16 on TPUs unless it is asked for more
// (docs.jax.dev/en/latest/201/precision.html).
std::string Reservation(const DeviceCosts& costs) {
  std::string out = "Measure whether it is faster";
  if (costs.hardware == Hardware::kTpu)
    out += " (TPUs multiply f32 in bfloat16 unless more precision was asked for)";
  if (costs.hardware == Hardware::kGpu && !costs.has_bfloat16)
    out += " (GPUs have units for it from compute capability 8.0)";
  return out + ", and check the accuracy.";
}

std::string Joined(const std::string& one, const std::string& other) {
  return one + (one.empty() || other.empty() ? "" : " ") + other;
}

}  // namespace

std::vector<std::string> AdviceOn(const DeviceCosts& costs) {
  std::vector<std::string> out;
  const std::string padding = Joined(PaddingInTime(costs), PaddingInMemory(costs));
  if (!padding.empty()) out.push_back("padding: " + padding);
  if (!costs.MayUseBfloat16()) return out;
  const std::string precision = Joined(PrecisionInTime(costs), PrecisionInMemory(costs));
  if (!precision.empty()) out.push_back("precision: " + precision + " " + Reservation(costs));
  if (costs.costs_most == CostsMost::kPrecision) std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace mlprof::server::xspace
