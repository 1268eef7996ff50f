#include "server/replay/closed_loop.h"

namespace mlprof::server {

std::optional<ReplayLoop::Send> ClosedLoop::Next(Time now) {
  if (!MaySend(now)) return std::nullopt;
  Begin(now);
  return Launch(now, now);
}

}  // namespace mlprof::server
