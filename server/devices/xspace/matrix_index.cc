// What the instructions of a program multiply.
#include <algorithm>
#include <array>

#include "server/devices/xspace/id_map.h"
#include "server/devices/xspace/matrix_operands.h"
#include "server/devices/xspace/tensor_bytes.h"
#include "server/devices/xspace/wire.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kFactors = 2;       // of a product: what is behind them is a bias, or a scale
constexpr std::size_t kMostCalled = 4;    // a fusion calls one computation
constexpr int kDeepestFusedMatrices = 4;  // fusions in fusions
constexpr std::size_t kLongestFactor =
    4'096;  // an encoded shape of an array has some hundred bytes

// An instruction as far as it concerns products.
struct Multiplier {
  std::string_view name;
  std::string_view opcode;
  std::string_view target;  // of a custom call
  std::vector<std::int64_t> factors;
  std::vector<std::int64_t> called;
  std::int64_t computation = 0;
};

void TakeSome(const Field& field, std::size_t most, std::vector<std::int64_t>& out) {
  ForEachNumber(field, [&](std::uint64_t number) {
    if (out.size() < most) out.push_back(static_cast<std::int64_t>(number));
  });
}

// HloInstructionProto: name = 1, opcode = 2, custom_call_target = 28, operand_ids = 36,
// called_computation_ids = 38.
Multiplier ReadMultiplier(std::string_view message) {
  Multiplier out;
  FieldReader reader(message);
  Field field;
  while (reader.Next(field)) {
    if (field.number == 1 && field.IsBytes()) out.name = field.bytes;
    if (field.number == 2 && field.IsBytes()) out.opcode = field.bytes;
    if (field.number == 28 && field.IsBytes()) out.target = field.bytes;
    if (field.number == 36) TakeSome(field, kFactors, out.factors);
    if (field.number == 38) TakeSome(field, kMostCalled, out.called);
  }
  return out;
}

// Libraries that XLA calls for products.
bool IsLibraryProduct(const Multiplier& one) {
  constexpr std::array<std::string_view, 4> kTargets = {"__cublas$", "__cudnn$conv",
                                                        "__onednn$matmul", "__onednn$conv"};
  return one.opcode == "custom-call" &&
         std::any_of(kTargets.begin(), kTargets.end(),
                     [&](std::string_view target) { return one.target.starts_with(target); });
}

class MatrixFinder {
 public:
  MatrixFinder(const HloModule& module, const TimeLimit& time) : module_(module), time_(time) {}

  // HloProto: hlo_module = 1; HloModuleProto: computations = 3.
  MatrixIndex Run(std::string_view bytes) {
    FieldReader reader(bytes);
    Field field;
    while (reader.Next(field)) {
      if (field.number != 1 || !field.IsBytes()) continue;
      FieldReader computations(field.bytes);
      Field computation;
      while (computations.Next(computation)) {
        if (computation.number == 3 && computation.IsBytes()) AddComputation(computation.bytes);
      }
    }
    for (int depth = 0; depth < kDeepestFusedMatrices; ++depth) LookIntoFusions();
    return std::move(index_);
  }

 private:
  // HloComputationProto: instructions = 2, id = 5, which comes behind them.
  void AddComputation(std::string_view message) {
    const std::size_t first_fusion = fusions_.size();
    MatrixOperands all = MatrixOperands::kNone;
    std::int64_t id = 0;
    FieldReader reader(message);
    Field field;
    while (reader.Next(field)) {
      if (time_.Over()) return;
      if (field.number == 5 && field.IsNumber()) id = field.Signed();
      if (field.number == 2 && field.IsBytes()) all = std::max(all, AddInstruction(field.bytes));
    }
    for (std::size_t i = first_fusion; i < fusions_.size(); ++i) fusions_[i].computation = id;
    if (all != MatrixOperands::kNone) Note(id, all);
  }

  MatrixOperands AddInstruction(std::string_view message) {
    Multiplier one = ReadMultiplier(message);
    if (one.opcode == "fusion") {
      fusions_.push_back(std::move(one));
      return MatrixOperands::kNone;
    }
    const bool is_product =
        one.opcode == "dot" || one.opcode == "convolution" || IsLibraryProduct(one);
    if (!is_product) return MatrixOperands::kNone;
    const MatrixOperands operands = OfFactors(one);
    index_[one.name] = operands;
    return operands;
  }

  MatrixOperands OfFactors(const Multiplier& one) const {
    if (one.factors.size() < kFactors) return MatrixOperands::kNotTold;
    bool is_f32 = true;
    for (const std::int64_t id : one.factors) {
      const auto found = module_.by_id.find(id);
      if (found == module_.by_id.end() || found->second.shape.size() > kLongestFactor)
        return MatrixOperands::kNotTold;
      const DecodedShape decoded = DecodeShape(found->second.shape, {});
      if (!decoded.is_array || decoded.shape.bits <= 0) return MatrixOperands::kNotTold;
      is_f32 = is_f32 && IsF32(decoded.shape);
    }
    return is_f32 ? MatrixOperands::kF32 : MatrixOperands::kOther;
  }

  void LookIntoFusions() {
    for (const Multiplier& fusion : fusions_) {
      if (time_.Over()) return;
      MatrixOperands all = MatrixOperands::kNone;
      for (const std::int64_t id : fusion.called) {
        const auto found = of_computation_.find(id);
        if (found != of_computation_.end()) all = std::max(all, found->second);
      }
      if (all == MatrixOperands::kNone) continue;
      index_[fusion.name] = all;
      Note(fusion.computation, all);
    }
  }

  void Note(std::int64_t computation, MatrixOperands operands) {
    MatrixOperands& known = of_computation_[computation];
    known = std::max(known, operands);
  }

  const HloModule& module_;
  const TimeLimit& time_;
  MatrixIndex index_;
  std::vector<Multiplier> fusions_;
  IdMap<MatrixOperands> of_computation_;
};

}  // namespace

MatrixIndex FindMatrixOperands(std::string_view bytes, const HloModule& module,
                               const TimeLimit& time) {
  return MatrixFinder(module, time).Run(bytes);
}

}  // namespace mlprof::server::xspace
