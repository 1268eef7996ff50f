#include "server/devices/xspace/stat_of.h"

#include <limits>

namespace mlprof::server::xspace {
namespace {

constexpr std::uint16_t kNotLookedUp = 0;
constexpr std::uint16_t kNowhere = 1;
constexpr std::uint16_t kFirstPlace = 2;
static_assert(kMostSharedStats + kFirstPlace <= std::numeric_limits<std::uint16_t>::max());

std::uint16_t PlaceOf(const EventMetadata& shared, std::int64_t id) {
  for (std::size_t i = 0; i < shared.stats.size() && i < kMostSharedStats; ++i) {
    if (StatIdOf(shared.stats[i]) == id) return static_cast<std::uint16_t>(kFirstPlace + i);
  }
  return kNowhere;
}

}  // namespace

std::optional<Stat> StatOf::Of(const EventMetadata& shared) const {
  if (!id_) return std::nullopt;
  if (places_.empty()) places_.resize(plane_.metadata.size(), kNotLookedUp);
  std::uint16_t& place = places_[static_cast<std::size_t>(&shared - plane_.metadata.data())];
  if (place == kNotLookedUp) place = PlaceOf(shared, *id_);
  if (place == kNowhere) return std::nullopt;
  return plane_.Decode(shared.stats[place - kFirstPlace]);
}

std::optional<Stat> StatOf::Of(const Event& event) const {
  if (!id_) return std::nullopt;
  auto own = plane_.FindOwn(event, id_);
  return own ? own : Of(plane_.Of(event));
}

}  // namespace mlprof::server::xspace
