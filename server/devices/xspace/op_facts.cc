#include "server/devices/xspace/op_facts.h"

#include "server/devices/xspace/framework_name.h"

namespace mlprof::server::xspace {
namespace {

constexpr int kDeepestFusion = 4;
constexpr std::size_t kLongestBreakdown = 65'536;

std::string NameOf(std::string_view name) { return std::string(CutName(name)); }

// MemoryAccessBreakdown: memory_accessed = 1 of operation_type = 1 (READ = 1, WRITE = 2),
// memory_space = 2 (HBM = 1, CMEM = 2, VMEM = 3), bytes_accessed = 3.
void AddBreakdown(std::string_view message, BytesMoved& bytes) {
  FieldReader reader(message);
  Field entry;
  while (reader.Next(entry)) {
    if (entry.number != 1 || !entry.IsBytes()) continue;
    std::uint64_t operation = 0, space = 0, amount = 0;
    FieldReader fields(entry.bytes);
    Field field;
    while (fields.Next(field)) {
      if (field.number == 1) operation = field.value;
      if (field.number == 2) space = field.value;
      if (field.number == 3) amount = field.value;
    }
    const auto moved = static_cast<double>(amount);
    if (space == 1) bytes.hbm += moved;
    if (space == 2) (operation == 1 ? bytes.cmem_read : bytes.cmem_write) += moved;
    if (space == 3) (operation == 1 ? bytes.vmem_read : bytes.vmem_write) += moved;
  }
}

}  // namespace

OpFacts::OpFacts(const Plane& plane)
    : plane_(plane),
      program_(plane, "program_id"),
      symbol_(plane, "symbol_id"),
      category_(plane, "hlo_category"),
      tf_op_(plane, "tf_op"),
      flops_(plane, "flops"),
      model_flops_(plane, "model_flops"),
      bytes_(plane, "bytes_accessed"),
      breakdown_(plane, "memory_access_breakdown"),
      deduplicated_(plane, "deduplicated_name"),
      shape_(plane, "shape_with_layout"),
      source_(plane, "source"),
      stall_(plane, "dma_stall_duration_ps") {
  for (const EventMetadata& shared : plane.metadata) by_id_[shared.id] = &shared;
}

std::optional<Op> OpFacts::Read(const EventMetadata& shared) {
  const auto program = program_.Of(shared);
  const auto symbol = symbol_.Of(shared);
  if (!program || !symbol) return std::nullopt;
  Op op = Facts(shared, 0);
  op.program_id = program->Whole();
  op.symbol_id = symbol->Whole();
  return op;
}

Op OpFacts::Facts(const EventMetadata& shared, int depth) {
  Op op;
  op.name = NameOf(shared.display_name.empty() ? shared.name : shared.display_name);
  if (!shared.display_name.empty()) op.text = CutOpText(shared.name);
  op.category = CutName(category_.TextOf(shared));
  op.provenance = CutOpText(tf_op_.TextOf(shared));
  op.deduplicated_name = CutName(deduplicated_.TextOf(shared));
  op.shape = CutOpText(shape_.TextOf(shared));
  op.source = CutOpText(source_.TextOf(shared));
  op.flops = flops_.NumberOf(shared);
  op.model_flops = model_flops_.NumberOf(shared);
  op.bytes.all = bytes_.NumberOf(shared);
  const auto breakdown = breakdown_.Of(shared);
  if (breakdown && breakdown->kind == Stat::Kind::kBytes &&
      breakdown->text.size() <= kLongestBreakdown) {
    AddBreakdown(breakdown->text, op.bytes);
  } else {
    op.bytes.hbm = op.bytes.all;
  }
  if (depth >= kDeepestFusion) return op;
  for (const std::int64_t child : shared.children) {
    if (fused_left_ == 0) break;
    --fused_left_;
    const auto found = by_id_.find(child);
    if (found == by_id_.end()) continue;
    op.fused.push_back(Facts(*found->second, depth + 1));
  }
  return op;
}

void OpFacts::AddOccurrence(const Event& event, Op& op) const {
  const bool is_custom_call = op.category == kCustomCall;
  if (!stall_ && !is_custom_call) return;
  Plane::ForEachStat(event, [&](std::int64_t id, std::string_view message) {
    const auto number = [&] { return plane_.Decode(message).Number(); };
    if (stall_.Is(id)) op.dma_stall_ps += number();
    if (!is_custom_call) return;
    if (flops_.Is(id)) op.flops_beyond += number() - op.flops;
    if (model_flops_.Is(id)) op.model_flops_beyond += number() - op.model_flops;
    if (bytes_.Is(id)) op.bytes_beyond += number() - op.bytes.all;
  });
}

Op KernelOf(const Plane& plane, const Event& event, const std::optional<Stat>& framework,
            const std::optional<Stat>& hlo) {
  const std::string_view kernel = CutName(plane.Of(event).name);
  Op op;
  if (framework) op.provenance = CutName(framework->text);
  const FrameworkName name = ParseFrameworkName(op.provenance);
  if (hlo) {
    op.name = NameOf(hlo->text);
    op.category = CutName(hlo->text).substr(0, op.name.find('.'));
  } else {
    op.name = NameOf(name.name) + "/" + NameOf(kernel);
    op.category = TypeIn(op.provenance);
  }
  op.text = kernel;
  return op;
}

}  // namespace mlprof::server::xspace
