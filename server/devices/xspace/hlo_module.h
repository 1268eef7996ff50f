// What a compiled program says of its buffers: an xla.HloProto, read where it lies. Pure; texts
// point into the bytes it was read from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"
#include "server/devices/xspace/id_map.h"
#include "server/devices/xspace/shape.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

struct HloInstruction {
  std::string_view name;
  std::string_view opcode;
  std::string_view shape;  // encoded
  std::string_view op_name;
  std::string_view source_file;
  std::int64_t source_line = 0;
};

struct LogicalBuffer {
  std::int64_t id = 0;
  std::int64_t size = 0;  // bytes, padded
  std::int64_t color = 0;
  std::string_view instruction_name;
  std::int64_t instruction_id = 0;
  std::vector<std::int64_t> shape_index;
};

struct BufferAllocation {
  std::int64_t index = 0;
  std::int64_t size = 0;
  std::int64_t color = 0;
  bool is_thread_local = false;
  bool is_parameter = false;
  bool is_live_out = false;
  bool is_constant = false;
  bool is_tuple = false;
  struct Assigned {
    std::int64_t buffer = 0;
    std::int64_t offset = 0;
    std::int64_t size = 0;
  };
  std::vector<Assigned> assigned;

  /// It lasts as long as the program runs.
  bool IsIndefinite() const {
    return !is_thread_local && (is_parameter || is_live_out || is_constant);
  }
};

struct HeapEvent {
  enum class Kind { kAlloc = 0, kFree = 1, kShareWith = 2 };
  Kind kind = Kind::kAlloc;
  std::int64_t buffer = 0;
  std::int64_t canonical = 0;  // of kShareWith
  std::string_view instruction;
};

struct HloModule {
  std::string_view name;
  std::string_view entry;
  IdMap<HloInstruction> by_id;
  std::map<std::string_view, std::int64_t> id_by_name;
  IdMap<LogicalBuffer> buffers;
  std::vector<BufferAllocation> allocations;
  std::vector<std::vector<HeapEvent>> heap_traces;

  /// nullptr where there is none.
  const HloInstruction* InstructionOf(const LogicalBuffer& buffer) const;
};

/// What the programs that are read in one call may hold together: instructions, buffers and what
/// happens to them.
struct HloLimits {
  std::size_t parts_left = 2'000'000;
};

/// kInvalidArgument for what is no HloProto; kTooLarge. Takes what it has read from `limits`.
Result<HloModule> ReadHlo(std::string_view bytes, HloLimits& limits);

/// The shape of an encoded ShapeProto at an index into its tuples; `is_array` is false for a tuple.
struct DecodedShape {
  Shape shape;
  bool is_array = true;
  std::size_t parts = 0;  // of a tuple
};
DecodedShape DecodeShape(std::string_view message, const std::vector<std::int64_t>& index);

/// The encoded HloProto of every program in a trace, by its name, "jit_f(14)".
std::vector<std::pair<std::string_view, std::string_view>> HloProtos(const Trace& trace);

}  // namespace mlprof::server::xspace
