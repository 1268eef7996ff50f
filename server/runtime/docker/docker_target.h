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
#include "server/runtime/docker/container_spec.h"
#include "server/runtime/docker/disk/scratch_volume.h"
#include "server/runtime/docker/docker_context.h"
#include "server/runtime/environment/secret_mask.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::docker {

class DockerTarget final : public Target {
 public:
  /// Returns with the agent connected; on failure nothing is left behind.
  static Result<std::unique_ptr<Target>> Launch(const std::shared_ptr<DockerContext>& context,
                                                const LaunchRequest& request, std::stop_token stop,
                                                Deadline deadline);
  ~DockerTarget() override;

  const std::string& container_id() const override { return id_; }
  AgentLink& agent() override { return *agent_; }
  Result<HostFacts> Host(Deadline deadline) override;
  Result<HostLoad> ReadHostLoad() override;
  std::filesystem::path Root() const override;
  Status SetCpu(Cores cpu, Deadline deadline) override;
  Status RaiseMemory(Bytes memory, Deadline deadline) override;
  Result<std::string> Logs(Bytes max, Deadline deadline) override;
  Result<ContainerExit> Inspect(Deadline deadline) override;
  std::optional<DiskFull> MetDiskBound(std::string_view log) override;
  Status Remove(Deadline deadline) override;

 private:
  DockerTarget(std::shared_ptr<DockerContext> context, std::string name, std::stop_token stop);

  // The steps of Launch, in order (docker_launch.cc).
  Status Create(const LaunchRequest& request, const AgentSocket& socket, const Patience& patience);
  Status CreateOnVolume(const LaunchRequest& request, const AgentSocket& socket,
                        const Patience& patience);
  Result<ContainerState> Start(const Patience& patience);
  Status Connect(AgentSocket& socket, int pid, const Patience& patience);
  Status WatchDisks(const Patience& patience);
  Error UnlessEngineLeft(const Error& error);
  Error WithLogTail(const Error& error);

  void ReadEvents(ContainerExit& exit, Deadline deadline);
  Patience UntilStopped(Deadline deadline);

  const std::shared_ptr<DockerContext> context_;
  const std::string name_;
  const std::stop_token stop_;  // of the run it is part of
  const environment::SecretMask
      secrets_;  // of this machine: packages may have kept them in the image
  std::unique_ptr<ScratchVolume> volume_;
  bool asked_ = false;  // the engine was, to create it
  std::string id_;      // "" until it said so
  bool started_ = false;
  std::unique_ptr<AgentLink> agent_;
  int agent_pid_ = 0;  // on this machine; 0 before it connected
  std::unique_ptr<DiskWatch> watch_;
  std::atomic<bool> removed_ = false;
  std::mutex mutex_;
  std::optional<Deadline> last_words_;  // guarded; set by the first question after the stop
};

}  // namespace mlprof::server::docker
