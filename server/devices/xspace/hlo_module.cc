#include "server/devices/xspace/hlo_module.h"

#include <array>

#include "server/devices/xspace/planes.h"
#include "server/devices/xspace/wire.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kDeepestTuple = 64;

// By xla.PrimitiveType; "" of tuples, of what is opaque, and of what is not known.
constexpr std::array<std::string_view, 25> kPrimitives = {
    "",          "pred", "s8",   "s16",    "s32",      "s64", "u8", "u16",
    "u32",       "u64",  "f16",  "f32",    "f64",      "",    "",   "c64",
    "bf16",      "",     "c128", "f8e5m2", "f8e4m3fn", "s4",  "u4", "f8e4m3b11fnuz",
    "f8e5m2fnuz"};

Status Take(HloLimits& limits) {
  if (limits.parts_left == 0) {
    return Fail(ErrorCode::kTooLarge,
                "the programs in the trace have more than 2,000,000 instructions and buffers: ask "
                "for one of those that overview_page names (module)");
  }
  --limits.parts_left;
  return {};
}

Error NoHlo() { return InvalidArgument("a program in the trace is cut or damaged"); }

// Every field of a message; an error where it is none.
template <class Take>
Status ForEachField(std::string_view message, Take take) {
  FieldReader reader(message);
  Field field;
  while (reader.Next(field)) MLPROF_TRY(take(field));
  if (!reader.ok()) return Fail(NoHlo());
  return {};
}

// OpMetadata: op_name = 2, source_file = 3, source_line = 4.
Status ReadOpMetadata(std::string_view message, HloInstruction& out) {
  return ForEachField(message, [&](const Field& field) -> Status {
    if (field.number == 2 && field.IsBytes()) out.op_name = field.bytes;
    if (field.number == 3 && field.IsBytes()) out.source_file = field.bytes;
    if (field.number == 4 && field.IsNumber()) out.source_line = field.Signed();
    return {};
  });
}

// HloInstructionProto: name = 1, opcode = 2, shape = 3, metadata = 7, id = 35.
Status ReadInstruction(std::string_view message, HloModule& module, HloLimits& limits) {
  MLPROF_TRY(Take(limits));
  HloInstruction out;
  std::int64_t id = 0;
  MLPROF_TRY(ForEachField(message, [&](const Field& field) -> Status {
    if (field.number == 35 && field.IsNumber()) id = field.Signed();
    if (!field.IsBytes()) return {};
    if (field.number == 1) out.name = field.bytes;
    if (field.number == 2) out.opcode = field.bytes;
    if (field.number == 3) out.shape = field.bytes;
    if (field.number == 7) return ReadOpMetadata(field.bytes, out);
    return {};
  }));
  module.id_by_name[out.name] = id;
  module.by_id[id] = out;
  return {};
}

// HloModuleProto: name = 1, entry_computation_name = 2, computations = 3 with instructions = 2.
Status ReadModule(std::string_view message, HloModule& module, HloLimits& limits) {
  return ForEachField(message, [&](const Field& field) -> Status {
    if (!field.IsBytes()) return {};
    if (field.number == 1) module.name = field.bytes;
    if (field.number == 2) module.entry = field.bytes;
    if (field.number != 3) return {};
    return ForEachField(field.bytes, [&](const Field& inner) -> Status {
      if (inner.number != 2 || !inner.IsBytes()) return {};
      return ReadInstruction(inner.bytes, module, limits);
    });
  });
}

// LogicalBufferProto: id = 1, size = 2, defined_at = 3 (instruction_name = 2, shape_index = 3,
// instruction_id = 4), color = 4.
Status ReadBuffer(std::string_view message, HloModule& module, HloLimits& limits) {
  MLPROF_TRY(Take(limits));
  LogicalBuffer out;
  MLPROF_TRY(ForEachField(message, [&](const Field& field) -> Status {
    if (field.number == 1) out.id = field.Signed();
    if (field.number == 2) out.size = field.Signed();
    if (field.number == 4) out.color = field.Signed();
    if (field.number != 3 || !field.IsBytes()) return {};
    return ForEachField(field.bytes, [&](const Field& inner) -> Status {
      if (inner.number == 2 && inner.IsBytes()) out.instruction_name = inner.bytes;
      if (inner.number == 4 && inner.IsNumber()) out.instruction_id = inner.Signed();
      if (inner.number == 3) {
        ForEachNumber(inner, [&](std::uint64_t index) {
          if (out.shape_index.size() < kDeepestTuple) {
            out.shape_index.push_back(static_cast<std::int64_t>(index));
          }
        });
      }
      return {};
    });
  }));
  module.buffers[out.id] = std::move(out);
  return {};
}

// Assigned: logical_buffer_id = 1, offset = 2, size = 3.
Status ReadAssigned(std::string_view message, BufferAllocation& allocation, HloLimits& limits) {
  MLPROF_TRY(Take(limits));
  BufferAllocation::Assigned out;
  MLPROF_TRY(ForEachField(message, [&](const Field& field) -> Status {
    if (field.number == 1) out.buffer = field.Signed();
    if (field.number == 2) out.offset = field.Signed();
    if (field.number == 3) out.size = field.Signed();
    return {};
  }));
  allocation.assigned.push_back(out);
  return {};
}

// BufferAllocationProto, as numbered below.
Status ReadAllocation(std::string_view message, HloModule& module, HloLimits& limits) {
  MLPROF_TRY(Take(limits));
  BufferAllocation out;
  MLPROF_TRY(ForEachField(message, [&](const Field& field) -> Status {
    const bool yes = field.IsNumber() && field.value != 0;
    switch (field.number) {
      case 1: out.index = field.Signed(); break;
      case 2: out.size = field.Signed(); break;
      case 3: out.is_thread_local = yes; break;
      case 5: out.is_parameter = yes; break;
      case 7: out.is_live_out = yes; break;
      case 8: out.color = field.Signed(); break;
      case 9: return field.IsBytes() ? ReadAssigned(field.bytes, out, limits) : Status();
      case 11: out.is_tuple = yes; break;
      case 12: out.is_constant = yes; break;
      default: break;
    }
    return {};
  }));
  module.allocations.push_back(std::move(out));
  return {};
}

// HeapSimulatorTrace.Event: kind = 1, buffer_id = 2, instruction_name = 4,
// share_with_canonical_id = 5.
Status ReadHeapEvent(std::string_view message, std::vector<HeapEvent>& events, HloLimits& limits) {
  MLPROF_TRY(Take(limits));
  HeapEvent out;
  MLPROF_TRY(ForEachField(message, [&](const Field& field) -> Status {
    if (field.number == 1 && field.value <= 2) out.kind = static_cast<HeapEvent::Kind>(field.value);
    if (field.number == 2) out.buffer = field.Signed();
    if (field.number == 4 && field.IsBytes()) out.instruction = field.bytes;
    if (field.number == 5) out.canonical = field.Signed();
    return {};
  }));
  events.push_back(out);
  return {};
}

// HeapSimulatorTrace: events = 1.
Status ReadHeapTrace(std::string_view message, HloModule& module, HloLimits& limits) {
  MLPROF_TRY(Take(limits));
  std::vector<HeapEvent> events;
  MLPROF_TRY(ForEachField(message, [&](const Field& field) -> Status {
    if (field.number != 1 || !field.IsBytes()) return {};
    return ReadHeapEvent(field.bytes, events, limits);
  }));
  module.heap_traces.push_back(std::move(events));
  return {};
}

// BufferAssignmentProto: logical_buffers = 1, buffer_allocations = 3, heap_simulator_traces = 4.
Status ReadAssignment(std::string_view message, HloModule& module, HloLimits& limits) {
  return ForEachField(message, [&](const Field& field) -> Status {
    if (!field.IsBytes()) return {};
    if (field.number == 1) return ReadBuffer(field.bytes, module, limits);
    if (field.number == 3) return ReadAllocation(field.bytes, module, limits);
    if (field.number == 4) return ReadHeapTrace(field.bytes, module, limits);
    return {};
  });
}

// LayoutProto: minor_to_major = 1, tiles = 6 (dimensions = 1), memory_space = 8.
void ReadLayout(std::string_view message, Shape& shape) {
  FieldReader reader(message);
  Field field;
  while (reader.Next(field)) {
    if (field.number == 1) {
      ForEachNumber(field, [&](std::uint64_t number) {
        if (shape.minor_to_major.size() < kDeepestTuple) {
          shape.minor_to_major.push_back(static_cast<std::int64_t>(number));
        }
      });
    }
    if (field.number == 8 && field.IsNumber()) shape.memory_space = field.Signed();
    if (field.number != 6 || !field.IsBytes()) continue;
    std::vector<std::int64_t> tile;
    FieldReader tiles(field.bytes);
    Field inner;
    while (tiles.Next(inner)) {
      if (inner.number != 1) continue;
      ForEachNumber(inner, [&](std::uint64_t number) {
        if (tile.size() < kDeepestTuple) tile.push_back(static_cast<std::int64_t>(number));
      });
    }
    if (shape.tile.empty()) {
      shape.tile = std::move(tile);
    } else if (shape.inner_tiles.size() < kDeepestTuple) {
      shape.inner_tiles.push_back(std::move(tile));
    }
  }
}

}  // namespace

const HloInstruction* HloModule::InstructionOf(const LogicalBuffer& buffer) const {
  const auto named = id_by_name.find(buffer.instruction_name);
  const std::int64_t id = buffer.instruction_name.empty() || named == id_by_name.end()
                              ? buffer.instruction_id
                              : named->second;
  const auto found = by_id.find(id);
  return found == by_id.end() ? nullptr : &found->second;
}

// HloProto: hlo_module = 1, buffer_assignment = 3.
Result<HloModule> ReadHlo(std::string_view bytes, HloLimits& limits) {
  MLPROF_TRY(Take(limits));
  HloModule module;
  MLPROF_TRY(ForEachField(bytes, [&](const Field& field) -> Status {
    if (field.number == 1 && field.IsBytes()) return ReadModule(field.bytes, module, limits);
    if (field.number == 3 && field.IsBytes()) return ReadAssignment(field.bytes, module, limits);
    return {};
  }));
  return module;
}

// ShapeProto: element_type = 2, dimensions = 3, tuple_shapes = 4, layout = 5.
DecodedShape DecodeShape(std::string_view message, const std::vector<std::int64_t>& index) {
  for (const std::int64_t wanted : index) {
    std::int64_t at = 0;
    std::string_view inner;
    FieldReader reader(message);
    Field field;
    while (reader.Next(field)) {
      if (field.number == 4 && field.IsBytes() && at++ == wanted) inner = field.bytes;
    }
    message = inner;
  }
  DecodedShape out;
  FieldReader reader(message);
  Field field;
  while (reader.Next(field)) {
    if (field.number == 2 && field.IsNumber() && field.value < kPrimitives.size()) {
      out.shape.type = kPrimitives.at(field.value);
      out.is_array = field.value != 13;
    }
    if (field.number == 3) {
      ForEachNumber(field, [&](std::uint64_t size) {
        if (out.shape.dimensions.size() < kDeepestTuple) {
          out.shape.dimensions.push_back(static_cast<std::int64_t>(size));
        }
      });
    }
    if (field.number == 4) ++out.parts;
    if (field.number == 5 && field.IsBytes()) ReadLayout(field.bytes, out.shape);
  }
  out.shape.bits = BitsOf(out.shape.type);
  return out;
}

std::vector<std::pair<std::string_view, std::string_view>> HloProtos(const Trace& trace) {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  const Plane* plane = trace.FindPlane(kMetadataPlane);
  if (plane == nullptr) return out;
  const auto proto = plane->StatId("Hlo Proto");
  for (const EventMetadata& module : plane->metadata) {
    const auto stat = plane->Find(module, proto);
    // Bytes alone: a name that many refer to would be read for each.
    if (stat && stat->kind == Stat::Kind::kBytes && !stat->text.empty()) {
      out.emplace_back(module.name, stat->text);
    }
  }
  return out;
}

}  // namespace mlprof::server::xspace
