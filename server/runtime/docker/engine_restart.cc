#include "server/runtime/docker/engine_restart.h"

#include <utility>

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::seconds kAskLimit{5};

}  // namespace

bool RestartedUnder(DockerEngine& engine, const std::string& container_id,
                    const Patience& patience) {
  const auto events = engine.Events(container_id, patience);
  if (!events) return false;
  const auto all = engine.Events("", patience);
  return all && RestartedSince(*events, all->size());
}

Error UnlessEngineLeft(DockerEngine& engine, const std::string& container_id, const Error& error,
                       const std::stop_token& stop) {
  const bool is_own = error.code() == ErrorCode::kCancelled ||
                      error.code() == ErrorCode::kUnavailable || stop.stop_requested();
  if (is_own) return error;
  const Patience patience(Deadline::After(kAskLimit), stop);
  if (!engine.Ping(patience)) {
    return Unavailable("the Docker engine went away: " + error.message());
  }
  if (container_id.empty() || !RestartedUnder(engine, container_id, patience)) return error;
  return Unavailable("the Docker engine restarted and ended the container: " + error.message());
}

}  // namespace mlprof::server::docker
