// A compiled program written by hand: an xla.HloProto whose every instruction and buffer is known.
#pragma once

#include <string>
#include <vector>

#include "tests/server/devices/xspace/made_trace.h"

namespace mlprof::server::xspace {

inline constexpr std::uint64_t kMadeF32 = 11;
inline constexpr std::uint64_t kMadeBf16 = 16;

/// ShapeProto, in row-major order; a tile of no dimensions is none.
inline Message MadeShape(std::uint64_t type, const std::vector<std::uint64_t>& dimensions,
                         const std::vector<std::uint64_t>& tile = {}) {
  Message layout;
  for (std::size_t i = dimensions.size(); i > 0; --i) layout.Number(1, i - 1);
  Message tiles;
  for (const std::uint64_t size : tile) tiles.Number(1, size);
  if (!tile.empty()) layout.Sub(6, tiles);
  Message shape;
  shape.Number(2, type);
  for (const std::uint64_t size : dimensions) shape.Number(3, size);
  return shape.Sub(5, layout);
}

struct MadeInstruction {
  std::uint64_t id = 0;
  std::string name;
  std::string opcode;
  Message shape;
  std::vector<std::uint64_t> operands;
  std::vector<std::uint64_t> called;  // computations
  std::string target;                 // of a custom call

  Message Encoded() const {
    Message out;
    out.Text(1, name).Text(2, opcode).Sub(3, shape).Number(35, id);
    if (!target.empty()) out.Text(28, target);
    for (const std::uint64_t operand : operands) out.Number(36, operand);
    for (const std::uint64_t computation : called) out.Number(38, computation);
    return out;
  }
};

/// A program whose parameters last as long as it runs and whose temporaries all stand at its peak.
class MadeProgram {
 public:
  MadeProgram& Computation(std::uint64_t id, const std::vector<MadeInstruction>& instructions) {
    Message out;
    for (const MadeInstruction& one : instructions) out.Sub(2, one.Encoded());
    module_.Sub(3, out.Number(5, id));
    return *this;
  }
  /// A buffer that an instruction defines, of so many bytes.
  MadeProgram& Parameter(const std::string& instruction, std::uint64_t bytes) {
    Buffer(instruction, bytes);
    assignment_.Sub(3, Allocation(bytes).Number(5, 1));
    return *this;
  }
  MadeProgram& Temporary(const std::string& instruction, std::uint64_t bytes) {
    Buffer(instruction, bytes);
    assignment_.Sub(3, Allocation(bytes));
    heap_.Sub(1, Message().Number(1, 0).Number(2, buffers_));
    return *this;
  }
  std::string bytes() const {
    Message assignment = assignment_;
    return Message().Sub(1, module_).Sub(3, assignment.Sub(4, heap_)).bytes();
  }

 private:
  void Buffer(const std::string& instruction, std::uint64_t bytes) {
    ++buffers_;
    assignment_.Sub(
        1, Message().Number(1, buffers_).Number(2, bytes).Sub(3, Message().Text(2, instruction)));
  }
  Message Allocation(std::uint64_t bytes) const {
    return Message()
        .Number(1, buffers_)
        .Number(2, bytes)
        .Sub(9, Message().Number(1, buffers_).Number(3, bytes));
  }

  Message module_;
  Message assignment_;
  Message heap_;
  std::uint64_t buffers_ = 0;
};

/// The plane that holds the programs of a trace, by their names.
inline Message PlaneOfPrograms(const std::vector<std::pair<std::string, std::string>>& programs) {
  MadePlane plane("/host:metadata");
  const auto proto = plane.StatName("Hlo Proto");
  for (const auto& [name, bytes] : programs) {
    plane.Name(name, {Message().Number(1, proto).Text(6, bytes)});
  }
  return plane.message();
}

}  // namespace mlprof::server::xspace
