#include "server/devices/xspace/op_costs.h"

#include <algorithm>

#include "server/devices/xspace/instruction_text.h"
#include "server/devices/xspace/ratio.h"
#include "server/devices/xspace/tensor_bytes.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kMostPaddedOps = 3;

// What an operation reads and writes, taken together: a small tensor weighs little beside a large.
struct Tensors {
  TensorBytes sum;
  Shape worst;
  TensorBytes worst_bytes;

  void Add(std::string_view text) {
    for (Shape& shape : ShapesIn(text)) {
      const auto bytes = BytesOf(shape);
      if (!bytes) continue;
      sum.padded += bytes->padded;
      sum.unpadded += bytes->unpadded;
      if (bytes->Padding() <= worst_bytes.Padding()) continue;
      worst = std::move(shape);
      worst_bytes = *bytes;
    }
  }
  bool ArePadded() const {
    return sum.padded >= kSmallTensorBytes && sum.padded >= kPaddedExpansion * sum.unpadded;
  }
};

Tensors TensorsOf(const Op& op) {
  Tensors out;
  const InstructionText text = SplitInstruction(op.text);
  out.Add(op.shape.empty() ? text.result : op.shape);
  out.Add(text.operands);
  return out;
}

void AddPadding(const Op& op, OpCosts& out) {
  if (HoldsOthers(op.category) || IsInfeedOrOutfeed(op.category)) return;
  const Tensors tensors = TensorsOf(op);
  if (tensors.sum.unpadded <= 0) return;
  out.told_ps += op.self_ps;
  if (!tensors.ArePadded()) return;
  out.padded_ps += op.self_ps;
  out.padding_ps += op.self_ps * Ratio(tensors.sum.Padding(), tensors.sum.padded);
  const auto place = std::find_if(out.most_padded.begin(), out.most_padded.end(),
                                  [&](const PaddedOp& one) { return one.self_ps < op.self_ps; });
  if (place == out.most_padded.end() && out.most_padded.size() >= kMostPaddedOps) return;
  out.most_padded.insert(
      place, {op.name, Text(tensors.worst),
              Ratio(tensors.worst_bytes.padded, tensors.worst_bytes.unpadded), op.self_ps});
  if (out.most_padded.size() > kMostPaddedOps) out.most_padded.pop_back();
}

void AddPrecision(const Op& op, const MatrixIndices& programs, const TimeLimit& time,
                  OpCosts& out) {
  const MatrixOperands operands = MatrixOperandsOf(op, programs, time);
  if (operands == MatrixOperands::kNone) return;
  out.matrix_ps += op.self_ps;
  if (operands == MatrixOperands::kF32) out.f32_ps += op.self_ps;
  if (operands == MatrixOperands::kNotTold) out.matrix_not_told_ps += op.self_ps;
}

}  // namespace

OpCosts SumOpCosts(const OpTable& table, const MatrixIndices& programs, const TimeLimit& time) {
  OpCosts out;
  out.all_ps = table.SelfPs();
  for (const Op& op : table.ops) {
    if (time.OverNow()) break;  // an operation's text may be 16 KiB
    if (op.self_ps <= 0) continue;
    AddPadding(op, out);
    AddPrecision(op, programs, time, out);
  }
  return out;
}

}  // namespace mlprof::server::xspace
