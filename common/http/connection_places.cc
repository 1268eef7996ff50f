#include "common/http/connection_places.h"

#include <algorithm>
#include <utility>

namespace mlprof {

using Place = ConnectionPlaces::Place;

Place* ConnectionPlaces::Lines::LongestWaiting() const {
  for (const Line& line : waiting) {
    if (!line.empty()) return line.front();
  }
  return nullptr;
}

ConnectionPlaces::Line& ConnectionPlaces::Lines::Of(const Place& place) {
  return place.state_ == Place::State::kWorking ? working : waiting[place.known_ ? 1 : 0];
}

std::size_t ConnectionPlaces::LimitOf(const PeerGroup& group) const {
  return group.kind == PeerGroup::Kind::kThisMachine ? limits_.of_this_machine : limits_.of_address;
}

ConnectionPlaces::Entry ConnectionPlaces::Take(Place& place, const PeerGroup& group) {
  if (!MakeRoomFor(group)) return Refuse(place);
  // All that may throw for want of memory comes before the first change.
  Line in_all{&place};
  Line in_group{&place};
  const auto [at, is_new] = groups_.try_emplace(group);
  if (is_new) at->second.limit = LimitOf(group);
  place.in_all_ = in_all.begin();
  place.in_group_ = in_group.begin();
  place.group_ = at;
  place.state_ = Place::State::kWaiting;
  place.known_ = false;
  place.streams_ = false;
  lines_.Of(place).splice(lines_.Of(place).end(), in_all);
  at->second.lines.Of(place).splice(at->second.lines.Of(place).end(), in_group);
  ++at->second.count;
  ++count_;
  return Entry::kTaken;
}

bool ConnectionPlaces::MakeRoomFor(const PeerGroup& group) {
  const auto known = groups_.find(group);
  if (known != groups_.end() && known->second.count >= known->second.limit) {
    Place* const oldest = known->second.lines.LongestWaiting();
    if (oldest == nullptr) return false;
    Displace(*oldest);
  }
  return count_ < limits_.all || MakeRoom();
}

bool ConnectionPlaces::MakeRoom() {
  Place* const oldest = lines_.LongestWaiting();
  if (oldest == nullptr) return false;
  Displace(*oldest);
  return true;
}

ConnectionPlaces::Entry ConnectionPlaces::Refuse(Place& place) {
  Line in_refused{&place};
  if (refused_.size() >= limits_.refused) Displace(*refused_.front());
  place.in_all_ = in_refused.begin();
  place.state_ = Place::State::kRefused;
  refused_.splice(refused_.end(), in_refused);
  return Entry::kRefused;
}

void ConnectionPlaces::Displace(Place& place) {
  Leave(place);
  if (place.displaced_) place.displaced_();
}

void ConnectionPlaces::Leave(Place& place) noexcept {
  if (place.state_ == Place::State::kNone) return;
  if (place.state_ == Place::State::kRefused) {
    refused_.erase(place.in_all_);
  } else {
    Group& group = place.group_->second;
    lines_.Of(place).erase(place.in_all_);
    group.lines.Of(place).erase(place.in_group_);
    EndStream(place);
    if (--group.count == 0) groups_.erase(place.group_);
    --count_;
  }
  place.state_ = Place::State::kNone;
}

bool ConnectionPlaces::HasOne(const Place& place) {
  return place.state_ == Place::State::kWaiting || place.state_ == Place::State::kWorking;
}

// Makes the change, then moves the place to the end of the two lines (of all, of its group) that
// its new state belongs to.
template <class Change>
void ConnectionPlaces::LineUp(Place& place, const Change& change) noexcept {
  if (!HasOne(place)) return;
  Lines& group = place.group_->second.lines;
  Line& left_all = lines_.Of(place);
  Line& left_group = group.Of(place);
  change();
  Line& all = lines_.Of(place);
  all.splice(all.end(), left_all, place.in_all_);
  Line& of_group = group.Of(place);
  of_group.splice(of_group.end(), left_group, place.in_group_);
}

void ConnectionPlaces::Wait(Place& place) noexcept {
  LineUp(place, [&] { place.state_ = Place::State::kWaiting; });
  EndStream(place);
}

void ConnectionPlaces::EndStream(Place& place) noexcept {
  if (!std::exchange(place.streams_, false)) return;
  --place.group_->second.streams;
  --streams_;
}

bool ConnectionPlaces::Work(Place& place) noexcept {
  LineUp(place, [&] { place.state_ = Place::State::kWorking; });
  return HasOne(place);
}

void ConnectionPlaces::Know(Place& place) noexcept {
  LineUp(place, [&] { place.known_ = true; });
}

bool ConnectionPlaces::Stream(Place& place) noexcept {
  if (!HasOne(place) || place.streams_) return true;
  Group& group = place.group_->second;
  const std::size_t share = std::min(group.limit, limits_.streams);
  if (streams_ >= limits_.streams || group.streams * 2 >= std::max<std::size_t>(share, 2)) {
    return false;
  }
  ++group.streams;
  ++streams_;
  place.streams_ = true;
  return true;
}

namespace {

// For the engine, the database, agents, logs and what libraries open. Chosen, not measured.
constexpr std::size_t kReserve = 256;
constexpr std::size_t kDescriptorsEach = 2;  // the socket, and a file that it sends or receives
// A browser opens 6, a load test some hundred; a proxy for many shares them among its clients.
constexpr std::size_t kOfAddress = 256;
// Each may hold a piece of its stream (128 KiB) that its client does not take: 64 MiB in all.
constexpr std::size_t kStreams = 512;
// Connections that are only told to come again, which takes milliseconds each.
constexpr std::size_t kRefused = 64;

std::size_t AtLeastOne(std::size_t count) { return std::max<std::size_t>(count, 1); }

}  // namespace

ConnectionLimits LimitConnections(std::size_t wanted, std::size_t descriptors) {
  const std::size_t reserve = std::min(kReserve, descriptors / 2);
  ConnectionLimits limits;
  limits.all = AtLeastOne(std::min(wanted, (descriptors - reserve) / kDescriptorsEach));
  limits.of_this_machine = AtLeastOne(limits.all / 2);
  limits.of_address = AtLeastOne(std::min(kOfAddress, limits.all / 2));
  limits.streams = AtLeastOne(std::min(kStreams, limits.all / 2));
  limits.refused = AtLeastOne(std::min(kRefused, reserve / 4));
  return limits;
}

PeerGroup PeerGroupOf(const net::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return PeerGroupOf(net::ip::make_address_v4(net::ip::v4_mapped, address.to_v6()));
  }
  if (address.is_loopback()) return {};
  if (address.is_v4()) return {PeerGroup::Kind::kIpv4, address.to_v4().to_uint()};
  std::uint64_t prefix = 0;
  const auto bytes = address.to_v6().to_bytes();
  for (std::size_t i = 0; i < sizeof prefix; ++i) prefix = prefix << 8 | bytes[i];
  return {PeerGroup::Kind::kIpv6, prefix};
}

}  // namespace mlprof
