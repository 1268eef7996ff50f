// A shape with its layout, as XLA writes it: "bf16[100,200]{1,0:T(8,128)(2,1)}", and what it takes
// of a device's memory once its rows and columns are padded to whole tiles. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlprof::server::xspace {

struct Shape {
  std::string type;                      // "bf16"
  double bits = 0;                       // of an element; 0 of a type that has none, as a token
  std::vector<std::int64_t> dimensions;  // outermost first, as written
  std::vector<std::int64_t> minor_to_major;
  std::vector<std::int64_t> tile;  // the first tile, outermost first; empty without one
  // What each tile is tiled into: how a tile's elements are packed, which takes no room.
  std::vector<std::vector<std::int64_t>> inner_tiles;
  std::int64_t memory_space = 0;
};

/// nullopt for a text that is no shape, a tuple among them.
std::optional<Shape> ParseShape(std::string_view text);
/// In the same words.
std::string Text(const Shape& shape);

double UnpaddedBytes(const Shape& shape);
/// The dimensions that lie together in a tile are rounded up to whole tiles.
double PaddedBytes(const Shape& shape);
/// One dimension of a layout: how long it is, and to what it is rounded up.
struct LaidOutDimension {
  std::int64_t size = 0;
  std::int64_t alignment = 1;
};
/// Outermost first.
std::vector<LaidOutDimension> LayoutOf(const Shape& shape);

/// Bits of an element of a type by its name, "bf16"; 0 for what has no elements.
double BitsOf(std::string_view type);

}  // namespace mlprof::server::xspace
