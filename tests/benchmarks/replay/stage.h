// A target in a container of its own, launched and replayed by the code that a profile uses.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "server/replay/agent_session.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/runtime.h"

namespace mlprof::bench {

inline constexpr int kTargetPort = 8080;

/// Launched and ready when made; the container ends with it. Throws std::runtime_error.
class Stage {
 public:
  /// `core`: the only one that the container may use.
  Stage(bool sleeper, int core);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  AgentSession& session() { return *session_; }
  /// Process 1 of the container, on the host.
  int pid() const { return pid_; }

 private:
  void MakeImage(const std::filesystem::path& program);
  void Launch(bool sleeper, int core);

  std::filesystem::path folder_;
  docker::DockerEngine engine_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<AgentSession> session_;
  int pid_ = 0;
};

}  // namespace mlprof::bench
