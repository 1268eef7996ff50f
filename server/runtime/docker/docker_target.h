// One scoring container: created, started, connected, and removed with everything that was made for
// it. Thread-safe once launched.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "server/runtime/docker/accept_agent.h"
#include "server/runtime/docker/docker_context.h"
#include "server/runtime/docker/scratch.h"
#include "server/runtime/runtime.h"

namespace mlprof::docker {

class DockerTarget final : public Target {
 public:
  /// Returns with the agent connected; on failure nothing is left behind.
  static Result<std::unique_ptr<Target>> Launch(std::shared_ptr<DockerContext> context,
                                                const LaunchRequest& request, std::stop_token stop,
                                                Deadline deadline);
  ~DockerTarget() override;

  const std::string& container_id() const override { return id_; }
  AgentLink& agent() override { return *agent_; }
  Status SetCpu(Cores cpu, Deadline deadline) override;
  Result<std::string> Logs(Bytes max, Deadline deadline) override;
  Result<ContainerExit> Inspect(Deadline deadline) override;
  Status Remove(Deadline deadline) override;

 private:
  DockerTarget(std::shared_ptr<DockerContext> context, std::string name);

  // The steps of Launch, in order (docker_launch.cc).
  Status Create(const LaunchRequest& request, const AgentSocket& socket, Deadline deadline);
  Result<ContainerState> Start(Deadline deadline);
  Status Connect(AgentSocket& socket, int pid, const std::stop_token& stop, Deadline deadline);
  void WatchScratch(bool writable_root, const ContainerState& state);
  Error WithLogTail(const Error& error);

  void ReadEvents(ContainerExit& exit, Deadline deadline);

  const std::shared_ptr<DockerContext> context_;
  const std::string name_;
  const std::filesystem::path scratch_;
  std::string id_;  // "" until created
  std::unique_ptr<AgentLink> agent_;
  std::atomic<bool> scratch_full_ = false;
  std::unique_ptr<ScratchWatch> watch_;
  std::mutex removing_;
  bool removed_ = false;  // guarded by removing_
};

}  // namespace mlprof::docker
