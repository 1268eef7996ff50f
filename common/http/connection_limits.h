// How many connections a server takes, worked out of the descriptors that it may have. Pure.
#pragma once

#include <cstddef>

namespace mlprof {

struct ConnectionLimits {
  std::size_t all = 1;
  std::size_t of_this_machine = 1;  // everybody who comes over loopback
  std::size_t of_address = 1;       // any other group of clients (see PeerGroup)
  std::size_t streams = 1;          // of `all`: answers without a foreseeable end
  std::size_t refused = 1;          // beside `all`, those that are only told to come again
};

/// At most `wanted`, and so few that with a file for each of them (an upload, an answer) a reserve
/// of `descriptors` is left: for the engine, the database, agents and logs.
ConnectionLimits LimitConnections(std::size_t wanted, std::size_t descriptors);

}  // namespace mlprof
