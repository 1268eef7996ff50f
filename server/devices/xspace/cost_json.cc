// The figures of what costs, as a document.
#include "server/devices/xspace/cost_advice.h"
#include "server/devices/xspace/ratio.h"

namespace mlprof::server::xspace {
namespace {

// Of the program with the largest peak.
void AddPeakOf(const DeviceCosts& costs, Json& out) {
  out["program"] = costs.program;
  out["peakInMib"] = costs.peak->peak / kBytesOfMib;
}

Json PaddedOpsJson(const OpCosts& ops) {
  Json out = Json::array();
  for (const PaddedOp& op : ops.most_padded) {
    out.push_back({{"name", op.name},
                   {"shape", op.shape},
                   {"expansion", op.expansion},
                   {"selfTimePercent", PercentOf(op.self_ps, ops.all_ps)}});
  }
  return out;
}

}  // namespace

Json PaddingJson(const DeviceCosts& costs) {
  Json out;
  if (costs.ops && costs.ops->told_ps > 0) {
    const OpCosts& ops = *costs.ops;
    out["toldTimePercent"] = PercentOf(ops.told_ps, ops.all_ps);
    out["paddedTimePercent"] = PercentOf(ops.padded_ps, ops.all_ps);
    out["paddingTimePercent"] = PercentOf(ops.padding_ps, ops.all_ps);
    out["ops"] = PaddedOpsJson(ops);
  }
  if (costs.peak) {
    AddPeakOf(costs, out);
    out["paddingAtPeakInMib"] = costs.peak->padding / kBytesOfMib;
  }
  return out;
}

Json PrecisionJson(const DeviceCosts& costs) {
  Json out;
  if (costs.ops) {
    const OpCosts& ops = *costs.ops;
    out["matrixTimePercent"] = PercentOf(ops.matrix_ps, ops.all_ps);
    out["f32MatrixTimePercent"] = PercentOf(ops.f32_ps, ops.all_ps);
    out["notToldMatrixTimePercent"] = PercentOf(ops.matrix_not_told_ps, ops.all_ps);
  }
  if (costs.peak) {
    AddPeakOf(costs, out);
    out["f32AtPeakInMib"] = costs.peak->f32 / kBytesOfMib;
    out["f32AsBfloat16InMib"] = costs.peak->f32_as_bf16 / kBytesOfMib;
  }
  if (costs.has_bfloat16) out["bfloat16Units"] = *costs.has_bfloat16;
  return out;
}

}  // namespace mlprof::server::xspace
