// What the Docker runtime and its targets share. A target may outlive the runtime that launched it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "common/domain/profile.h"
#include "server/runtime/agent_link.h"
#include "server/runtime/docker/disk/scratch_volume.h"
#include "server/runtime/docker/docker_options.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/environment/environment_uses.h"
#include "server/runtime/live_containers.h"
#include "server/runtime/turnstile.h"

namespace mlprof::server::docker {

/// What the engine said last of something that hardly changes. Thread-safe.
template <class Value>
class Known {
 public:
  std::optional<Value> Get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void Set(Value value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Value> value_;
};

/// Makes a link of an accepted connection once the agent has said Hello. Takes the descriptor.
using AdoptAgent =
    std::function<Result<std::unique_ptr<AgentLink>>(int fd, const Patience& patience)>;

struct DockerContext {
  DockerContext(DockerOptions options_given, std::string socket, AdoptAgent adopt_given)
      : options(std::move(options_given)),
        engine(std::move(socket), options.observe_call),
        adopt(std::move(adopt_given)),
        uses(options.data_dir / "environments") {}

  std::filesystem::path ScratchRoot() const { return options.data_dir / "scratch"; }

  const DockerOptions options;
  DockerEngine engine;
  const AdoptAgent adopt;
  LiveContainers live;
  environment::EnvironmentUses uses;
  ScratchVolumes volumes;
  Known<HostFacts> host;
  /// Where the engine keeps images and what containers write to their root.
  Known<std::filesystem::path> engine_root;
  Turnstile preparing;  // one preparation at a time, so that equal ones meet the first's image
};

}  // namespace mlprof::server::docker
