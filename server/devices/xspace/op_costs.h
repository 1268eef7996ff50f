// Which share of the devices' time goes to operations on padded tensors, and to products of f32.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "server/devices/xspace/matrix_operands.h"
#include "server/devices/xspace/op_metrics.h"

namespace mlprof::server::xspace {

/// An operation counts as padded where what it reads and writes, as far as its text tells, takes so
/// many times the bytes of its elements. Chosen, not measured.
inline constexpr double kPaddedExpansion = 1.25;
/// What reads and writes less than this, padding included, does not: it is a few tiles whatever its
/// dimensions are, and nothing is saved by others. The size below which memory_viewer sums buffers
/// up. Chosen, not measured.
inline constexpr double kSmallTensorBytes = 16 * 1024;

struct PaddedOp {
  std::string name;
  std::string shape;     // of its tensors the one with most padding
  double expansion = 0;  // of that one
  double self_ps = 0;
};

/// In self time of all devices.
struct OpCosts {
  double all_ps = 0;
  double told_ps = 0;                 // of operations whose text tells shapes
  double padded_ps = 0;               // of those that count as padded
  double padding_ps = 0;              // of that time what is padding's, if time goes as bytes do
  double matrix_ps = 0;               // of matrix multiplications and convolutions
  double f32_ps = 0;                  // of those whose factors are f32
  double matrix_not_told_ps = 0;      // of those whose factors are not told
  std::vector<PaddedOp> most_padded;  // three, by self time
};

OpCosts SumOpCosts(const OpTable& table, const MatrixIndices& programs, const TimeLimit& time);

}  // namespace mlprof::server::xspace
