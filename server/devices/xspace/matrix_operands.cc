#include "server/devices/xspace/matrix_operands.h"

#include <algorithm>
#include <array>

#include "server/devices/xspace/instruction_text.h"
#include "server/devices/xspace/tensor_bytes.h"

namespace mlprof::server::xspace {
namespace {

constexpr int kDeepestPart = 4;

bool IsFloat(const Shape& shape) {
  return shape.type.starts_with("f") || shape.type.starts_with("bf");
}

// Operations of TPUs by XLA's category, of GPUs by the framework's name for them.
bool NamesProduct(std::string_view category) {
  constexpr std::array<std::string_view, 12> kProducts = {
      "dot",    "convolution", "dot_general",   "conv_general_dilated", "MatMul", "BatchMatMul",
      "Conv1D", "Conv2D",      "BatchMatMulV2", "BatchMatMulV3",        "Conv3D", "Einsum"};
  if (std::find(kProducts.begin(), kProducts.end(), category) != kProducts.end()) return true;
  return IsFusion(category) && (category.starts_with("convolution") || category.starts_with("dot"));
}

// A product has two factors.
MatrixOperands OfProduct(std::string_view operands) {
  const std::vector<Shape> shapes = ShapesIn(operands);
  if (shapes.size() < 2) return MatrixOperands::kNotTold;
  return IsF32(shapes[0]) && IsF32(shapes[1]) ? MatrixOperands::kF32 : MatrixOperands::kOther;
}

// Of a fusion any operand may be a factor, but for vectors (a bias) and indices.
MatrixOperands OfFusedProduct(std::string_view operands) {
  MatrixOperands out = MatrixOperands::kNotTold;
  for (const Shape& shape : ShapesIn(operands)) {
    if (!IsFloat(shape) || shape.dimensions.size() < 2) continue;
    out = std::max(out, IsF32(shape) ? MatrixOperands::kF32 : MatrixOperands::kOther);
  }
  return out;
}

// By the operation's own text and category, and those of its parts, of which each may have 16 KiB.
MatrixOperands OfTexts(const Op& op, int depth, const TimeLimit& time) {
  if (time.OverNow()) return MatrixOperands::kNone;
  const InstructionText text = SplitInstruction(op.text);
  if (text.opcode == "dot" || text.opcode == "convolution") return OfProduct(text.operands);
  MatrixOperands of_parts = MatrixOperands::kNone;
  if (depth < kDeepestPart) {
    for (const Op& part : op.fused) of_parts = std::max(of_parts, OfTexts(part, depth + 1, time));
  }
  if (of_parts > MatrixOperands::kNotTold) return of_parts;
  return NamesProduct(op.category) ? OfFusedProduct(text.operands) : of_parts;
}

}  // namespace

MatrixOperands MatrixOperandsOf(const Op& op, const MatrixIndices& programs,
                                const TimeLimit& time) {
  const auto program = programs.find(op.program_id);
  if (program != programs.end()) {
    const auto known = program->second.find(op.name);
    const bool is_told =
        known != program->second.end() && known->second != MatrixOperands::kNotTold;
    if (is_told) return known->second;
  }
  return OfTexts(op, 0, time);
}

}  // namespace mlprof::server::xspace
