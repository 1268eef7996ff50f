#include "server/devices/xspace/tensor_bytes.h"

#include <algorithm>

namespace mlprof::server::xspace {
namespace {

constexpr double kMostTensorBytes = 1e18;  // sums of some million of them stay exact enough
constexpr std::int64_t kMostTileRows = 1LL << 40U;

}  // namespace

std::optional<TensorBytes> BytesOf(const Shape& shape) {
  const TensorBytes out{PaddedBytes(shape), UnpaddedBytes(shape)};
  // Written so that what is no number is refused too.
  const bool is_sane =
      out.unpadded > 0 && out.padded >= out.unpadded && out.padded <= kMostTensorBytes;
  if (!is_sane) return std::nullopt;
  return out;
}

bool IsF32(const Shape& shape) { return shape.type == "f32"; }

Shape InBfloat16(const Shape& f32) {
  Shape out = f32;
  out.type = "bf16";
  out.bits = BitsOf(out.type);
  if (out.tile.empty()) return out;
  std::int64_t& rows = out.tile[out.tile.size() < 2 ? 0 : out.tile.size() - 2];
  rows = 2 * std::clamp<std::int64_t>(rows, 1, kMostTileRows);
  return out;
}

}  // namespace mlprof::server::xspace
