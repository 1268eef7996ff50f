// The Runtime on a Docker Engine of this machine.
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "server/runtime/docker/docker_context.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::docker {

class DockerRuntime final : public Runtime {
 public:
  explicit DockerRuntime(std::shared_ptr<DockerContext> context);

  std::string name() const override { return "docker"; }
  RuntimeWords words() const override;
  Result<HostFacts> Host(Deadline deadline, std::stop_token stop) override;
  Status Check(Deadline deadline, std::stop_token stop) override;
  Result<PreparedImage> Prepare(const PrepareRequest& request, const PrepareOutput& output,
                                std::stop_token stop, Deadline deadline) override;
  Result<std::unique_ptr<Target>> Launch(const LaunchRequest& request, std::stop_token stop,
                                         Deadline deadline) override;
  Result<std::vector<KeptImage>> KeptImages(const std::vector<PrepareRequest>& waiting,
                                            Deadline deadline, std::stop_token stop) override;
  Status RemoveImage(const KeptImage& image, Deadline deadline, std::stop_token stop) override;
  Result<int> RemoveOrphans(Deadline deadline, std::stop_token stop) override;

 private:
  Status CheckEngine(const Patience& patience);
  /// All but those of containers that a Target owns or that are `in_use`.
  void RemoveOrphanFolders(std::set<std::string> in_use, const Patience& patience);

  const std::shared_ptr<DockerContext> context_;
  std::atomic<bool> found_fit_ = false;  // by a look at all the engine says of itself
};

/// "unix:///PATH" or "/PATH" → PATH. kInvalidArgument with the remedy for anything else.
Result<std::string> SocketOf(const std::string& docker_host);

}  // namespace mlprof::server::docker
