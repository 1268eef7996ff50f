// Who may be connected: how many, which clients share an allowance, and who has a place. Where all
// places are taken, all in all or of one group of clients, the connection that has waited longest
// for a request makes room; one that never brought a caller we know goes before one that did. Every
// call takes the same time however many are connected. Pure: no sockets and no clock. One thread.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>

#include "common/async/asio.h"

namespace mlprof {

/// How many connections a server takes, worked out of the descriptors that it may have.
struct ConnectionLimits {
  std::size_t all = 1;
  std::size_t of_this_machine = 1;  // everybody who comes over loopback
  std::size_t of_address = 1;       // any other group of clients (see PeerGroup)
  std::size_t streams = 1;          // of `all`: responses without a foreseeable end
  std::size_t refused = 1;          // beside `all`, those that are only told to come again
};

/// At most `wanted`, and so few that with a file for each of them (an upload, a response) a reserve
/// of `descriptors` is left: for the engine, the database, agents and logs.
ConnectionLimits LimitConnections(std::size_t wanted, std::size_t descriptors);

/// The clients that share one allowance of connections: an IPv4 address, an IPv6 /64 (what one
/// client is given), or this machine as a whole, which has a /8 of addresses.
struct PeerGroup {
  enum class Kind { kThisMachine, kIpv4, kIpv6 } kind = Kind::kThisMachine;
  std::uint64_t prefix = 0;  // the address, or the first 64 bits of it
  auto operator<=>(const PeerGroup&) const = default;
};

PeerGroup PeerGroupOf(const net::ip::address& address);

/// The places, all in all and of each group.
class ConnectionPlaces {
 public:
  class Place;
  enum class Entry { kTaken, kRefused };

  explicit ConnectionPlaces(const ConnectionLimits& limits) : limits_(limits) {}
  ConnectionPlaces(const ConnectionPlaces&) = delete;
  ConnectionPlaces& operator=(const ConnectionPlaces&) = delete;

  /// A new connection, which waits for its first request. kRefused where every other one of the
  /// group, or all in all, is at work: then it may be told so, and has a place among the refused.
  Entry Take(Place& place, const PeerGroup& group);
  /// Gives the place back. Without one: nothing; so for the calls below.
  void Leave(Place& place) noexcept;

  /// Waits for a request from now on, as the last in line.
  void Wait(Place& place) noexcept;
  /// Has a request in flight: it cannot be asked to make room. False where it had to already.
  bool Work(Place& place) noexcept;
  /// Brought a request of a caller we know.
  void Know(Place& place) noexcept;
  /// Asks to stay at work without a foreseeable end. False where half of its group's places do so
  /// already, where as many do as may in all, or where half of those are of its group.
  bool Stream(Place& place) noexcept;

  /// Has the one that waited longest make room; false where all are at work.
  bool MakeRoom();
  std::size_t count() const { return count_; }

 private:
  using Line = std::list<Place*>;
  // Who is at work, and who waits: never known, known.
  struct Lines {
    Line working;
    std::array<Line, 2> waiting;
    Place* LongestWaiting() const;
    Line& Of(const Place& place);
  };
  struct Group {
    std::size_t limit = 0;
    std::size_t count = 0;
    std::size_t streams = 0;
    Lines lines;
  };
  using Groups = std::map<PeerGroup, Group>;

  std::size_t LimitOf(const PeerGroup& group) const;
  bool MakeRoomFor(const PeerGroup& group);
  Entry Refuse(Place& place);
  void Displace(Place& place);
  static bool HasOne(const Place& place);
  void EndStream(Place& place) noexcept;
  template <class Change>
  void LineUp(Place& place, const Change& change) noexcept;

  const ConnectionLimits limits_;
  std::size_t count_ = 0;
  std::size_t streams_ = 0;
  Lines lines_;
  Groups groups_;
  Line refused_;
};

/// One connection's place, if it has one. Stays where it is; is left before it goes.
class ConnectionPlaces::Place {
 public:
  /// `displaced`: another one has the place now. Must not call back into the places.
  explicit Place(std::function<void()> displaced) : displaced_(std::move(displaced)) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  friend class ConnectionPlaces;
  enum class State { kNone, kRefused, kWaiting, kWorking };

  const std::function<void()> displaced_;
  State state_ = State::kNone;
  bool known_ = false;
  bool streams_ = false;
  Groups::iterator group_;
  Line::iterator in_all_;    // of lines_, or of refused_
  Line::iterator in_group_;  // of the group's lines
};

}  // namespace mlprof
