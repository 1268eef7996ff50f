#include "common/http/connection_limits.h"

#include <algorithm>

namespace mlprof {
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

}  // namespace mlprof
