#include "server/devices/xspace/shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kMostDimensions = 64;
constexpr std::int64_t kLongestDimension = 1LL << 50U;  // rounding it up does not overflow

// "1,0" up to one of `ends`, which is taken too. nullopt where there is something else.
std::optional<std::vector<std::int64_t>> Numbers(std::string_view& text, std::string_view ends) {
  std::vector<std::int64_t> out;
  while (!text.empty() && ends.find(text.front()) == std::string_view::npos) {
    if (text.front() == ',' || text.front() == '<' || text.front() == '=') {
      text.remove_prefix(1);
      continue;
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || out.size() >= kMostDimensions) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    out.push_back(number);
  }
  if (text.empty()) return std::nullopt;
  text.remove_prefix(1);
  return out;
}

// "T(8,128)(2,1)S(1)" behind the ':' of a layout, in any order of its parts.
bool ParseTiling(std::string_view text, Shape& shape) {
  char what = ' ';
  while (!text.empty() && text.front() != '}') {
    if (text.front() != '(') {
      what = text.front();
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(1);
    const auto numbers = Numbers(text, ")");
    if (!numbers) return false;
    if (what == 'S' && !numbers->empty()) shape.memory_space = numbers->front();
    if (what != 'T') continue;
    if (shape.tile.empty()) {
      shape.tile = *numbers;
    } else if (shape.inner_tiles.size() < kMostDimensions) {
      shape.inner_tiles.push_back(*numbers);
    }
  }
  return true;
}

std::string Join(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (const std::int64_t number : numbers) {
    out += (out.empty() ? "" : ",") + std::to_string(number);
  }
  return out;
}

double Product(const std::vector<LaidOutDimension>& dimensions, bool padded) {
  double out = 1;
  for (const LaidOutDimension& one : dimensions) {
    const double size = static_cast<double>(one.size);
    const double alignment = static_cast<double>(std::max<std::int64_t>(1, one.alignment));
    const std::int64_t whole_tiles = (one.size + one.alignment - 1) / one.alignment;
    const auto tiles = static_cast<double>(whole_tiles);
    out *= padded ? tiles * alignment : size;
  }
  return out;
}

}  // namespace

double BitsOf(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kOdd = {{{"pred", 8},
                                                                        {"bf16", 16},
                                                                        {"c64", 64},
                                                                        {"c128", 128},
                                                                        {"s4", 4},
                                                                        {"u4", 4},
                                                                        {"s2", 2},
                                                                        {"u2", 2}}};
  for (const auto& [name, bits] : kOdd) {
    if (type == name) return bits;
  }
  if (type.size() < 2 || (type[0] != 's' && type[0] != 'u' && type[0] != 'f')) return 0;
  double bits = 0;
  for (const char c : type.substr(1)) {
    if (c < '0' || c > '9') break;  // "f8e4m3fn"
    bits = bits * 10 + (c - '0');
    if (bits > 128) return 0;
  }
  return bits;
}

std::optional<Shape> ParseShape(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  Shape shape;
  shape.type = text.substr(0, open);
  for (const char c : shape.type) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!is_word) return std::nullopt;
  }
  shape.bits = BitsOf(shape.type);
  text.remove_prefix(open + 1);
  const auto dimensions = Numbers(text, "]");
  if (!dimensions) return std::nullopt;
  shape.dimensions = *dimensions;
  if (!text.starts_with('{')) return shape;
  text.remove_prefix(1);
  const std::size_t end = text.find_first_of(":}");
  if (end == std::string_view::npos) return std::nullopt;
  const bool tiled = text[end] == ':';
  const auto order = Numbers(text, ":}");
  if (!order) return std::nullopt;
  shape.minor_to_major = *order;
  if (tiled && !ParseTiling(text, shape)) return std::nullopt;
  return shape;
}

std::string Text(const Shape& shape) {
  std::string out = shape.type + "[" + Join(shape.dimensions) + "]";
  if (shape.minor_to_major.empty() && shape.tile.empty() && shape.memory_space == 0) return out;
  out += "{" + Join(shape.minor_to_major);
  if (!shape.tile.empty() || shape.memory_space != 0) out += ":";
  if (!shape.tile.empty()) out += "T(" + Join(shape.tile) + ")";
  for (const auto& tile : shape.inner_tiles) out += "(" + Join(tile) + ")";
  if (shape.memory_space != 0) out += "S(" + std::to_string(shape.memory_space) + ")";
  return out + "}";
}

std::vector<LaidOutDimension> LayoutOf(const Shape& shape) {
  std::vector<LaidOutDimension> out;
  for (const std::int64_t size : shape.dimensions) {
    out.push_back({std::clamp<std::int64_t>(size, 0, kLongestDimension), 1});
  }
  // The tile's last dimension is over the minor-most of the array's.
  for (std::size_t i = 0; i < shape.tile.size() && i < out.size(); ++i) {
    std::size_t at = out.size() - 1 - i;
    if (i < shape.minor_to_major.size()) {
      const auto named = static_cast<std::size_t>(shape.minor_to_major[i]);
      if (named >= out.size()) continue;
      at = named;
    }
    const std::int64_t alignment = shape.tile[shape.tile.size() - 1 - i];
    out[at].alignment = std::clamp<std::int64_t>(alignment, 1, kLongestDimension);
  }
  return out;
}

double UnpaddedBytes(const Shape& shape) {
  return Product(LayoutOf(shape), false) * shape.bits / 8;
}

double PaddedBytes(const Shape& shape) { return Product(LayoutOf(shape), true) * shape.bits / 8; }

}  // namespace mlprof::server::xspace
