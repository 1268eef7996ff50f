// A program in a container of its own, launched and spoken to by the code that a profile uses.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/replay/agent_session.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::bench {

/// The value, or a std::runtime_error with the error's message.
template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}
void Must(const Status& status);

struct BenchContainerPlan {
  std::string name;               // of the image and of the container
  std::filesystem::path program;  // lies at /server in the image; "": nothing does
  std::vector<std::string> command;
  int port = 8080;
  Limits limits;
  std::string cpuset = {};  // "": every core
};

/// The folder of the programs that were built with this one.
std::filesystem::path Programs();

/// Launched and ready when made; container and image end with it. Throws std::runtime_error.
class BenchContainer {
 public:
  explicit BenchContainer(const BenchContainerPlan& plan);
  ~BenchContainer();
  BenchContainer(const BenchContainer&) = delete;
  BenchContainer& operator=(const BenchContainer&) = delete;

  AgentSession& session() { return *session_; }
  /// Process 1 of the container, on the host.
  int pid() const { return pid_; }

 private:
  void MakeImage(const BenchContainerPlan& plan);
  void Launch(const BenchContainerPlan& plan);

  std::filesystem::path folder_;
  std::string image_;
  docker::DockerEngine engine_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<AgentSession> session_;
  int pid_ = 0;
};

}  // namespace mlprof::server::bench
