// What a tensor takes of a device's memory, as it is and as it would be of half the bits. Pure.
#pragma once

#include <optional>

#include "server/devices/xspace/shape.h"

namespace mlprof::server::xspace {

struct TensorBytes {
  double padded = 0;
  double unpadded = 0;

  double Padding() const { return padded - unpadded; }
};

/// nullopt for what has no elements, and for what no device could hold: the numbers of a trace are
/// anybody's.
std::optional<TensorBytes> BytesOf(const Shape& shape);

bool IsF32(const Shape& shape);

/// The same elements in bfloat16. Where there is a tile, its rows double: a tile of f32 is (8,128),
/// and one of as many bytes in bfloat16 is (16,128). XLA also has T(8,128)(2,1), which pairs the
/// rows of 8 and so pads less (openxla.org/xla/tiled_layout); which of both a compiler takes cannot
/// be told from the f32 program. So the bytes here are the most that it would take.
Shape InBfloat16(const Shape& f32);

}  // namespace mlprof::server::xspace
