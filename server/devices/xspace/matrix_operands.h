// Which operations multiply matrices or convolve, and whether what they multiply is f32: by the
// program's own instructions, else by what the trace says of the operation. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "server/devices/xspace/hlo_module.h"
#include "server/devices/xspace/op_metrics.h"
#include "server/devices/xspace/time_limit.h"

namespace mlprof::server::xspace {

/// Of several in one operation the last of these counts: f32 is said only where all that are told
/// are.
enum class MatrixOperands : std::uint8_t { kNone, kNotTold, kF32, kOther };

/// By an instruction's name, of those that multiply; names are in the trace's bytes.
using MatrixIndex = std::map<std::string_view, MatrixOperands>;
/// By a program's id.
using MatrixIndices = std::map<std::uint64_t, MatrixIndex>;

/// Of a program's instructions: what each multiplies itself, and a fusion what is fused in it.
/// `bytes` is the HloProto that `module` was read from.
MatrixIndex FindMatrixOperands(std::string_view bytes, const HloModule& module,
                               const TimeLimit& time);

MatrixOperands MatrixOperandsOf(const Op& op, const MatrixIndices& programs, const TimeLimit& time);

}  // namespace mlprof::server::xspace
