// The text of an instruction of HLO, "%dot.1 = f32[8,128]{1,0} dot(f32[8,64]{1,0} %a, …), …", in
// its parts. Pure; what it gives points into the text.
#pragma once

#include <string_view>
#include <vector>

#include "server/devices/xspace/shape.h"

namespace mlprof::server::xspace {

struct InstructionText {
  std::string_view result;    // its shape; of a tuple with its parentheses
  std::string_view opcode;    // "dot"
  std::string_view operands;  // what stands in the opcode's parentheses
};

/// Empty parts for a text that is no instruction, a kernel's name among them.
InstructionText SplitInstruction(std::string_view text);

/// The shapes of arrays that stand in a text, those in tuples too, in their order; the first 64.
std::vector<Shape> ShapesIn(std::string_view text);

}  // namespace mlprof::server::xspace
