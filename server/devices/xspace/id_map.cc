#include "server/devices/xspace/id_map.h"

#include <random>

namespace mlprof::server::xspace {
namespace {

std::uint64_t NewSeed() {
  std::random_device random;
  return (std::uint64_t{random()} << 32U) | random();
}

}  // namespace

std::size_t IdHash::operator()(std::int64_t id) const {
  static const std::uint64_t seed = NewSeed();
  std::uint64_t mixed = static_cast<std::uint64_t>(id) ^ seed;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

}  // namespace mlprof::server::xspace
