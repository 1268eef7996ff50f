// The Docker Engine API, typed: every call ends at its deadline, or at once when its caller gives
// up (kCancelled), and every error says what was asked, what Docker answered and what to do. One
// connection a call; thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/client.h"
#include "common/json/json.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/units/cores.h"
#include "server/runtime/docker/docker_options.h"
#include "server/runtime/docker/engine_values.h"

namespace mlprof::server::docker {

/// The CFS period production uses; the quota of a limit is this share of it.
inline constexpr int kCpuPeriodMicroseconds = 100'000;
inline std::int64_t CpuQuotaMicroseconds(Cores cpu) {
  return cpu.millicores() * kCpuPeriodMicroseconds / 1000;
}

class DockerEngine {
 public:
  DockerEngine(std::string socket, DockerCallObserver observer);

  /// Succeeds when the daemon answers and speaks an API version we do.
  Status Ping(const Patience& patience);
  Result<EngineInfo> Info(const Patience& patience);

  /// The new container's id. kConflict: the name is taken; kNotFound: no such image.
  Result<std::string> CreateContainer(const std::string& name, const Json& spec,
                                      const Patience& patience);
  Status StartContainer(const std::string& id, const Patience& patience);
  /// Live, by CpuPeriod and CpuQuota: NanoCpus would conflict with them for ever after.
  Status UpdateCpu(const std::string& id, Cores cpu, const Patience& patience);
  /// Live, without swap as when it was created.
  Status UpdateMemory(const std::string& id, Bytes memory, const Patience& patience);
  Result<ContainerState> InspectContainer(const std::string& id_or_name, const Patience& patience);
  /// What happened to it until now, oldest first: "create", "start", "oom", "die"…; with no id, to
  /// anything. The engine keeps only the last few hundred events of all, in its memory.
  Result<std::vector<std::string>> Events(const std::string& id, const Patience& patience);
  /// stdout and stderr until now, in order.
  Result<std::string> Logs(const std::string& id, const Patience& patience);
  /// Hands them on as they come; returns when the container has ended.
  Status FollowLogs(const std::string& id, const std::function<void(std::string_view)>& on_text,
                    const Patience& patience);
  /// Waits for its end: the exit code.
  Result<int> Wait(const std::string& id, const Patience& patience);
  /// Success also where it does not run.
  Status Kill(const std::string& id, const Patience& patience);
  /// Kills it and removes it with its anonymous volumes; success also where there is none.
  Status Remove(const std::string& id, const Patience& patience);
  /// Running or not.
  Result<std::vector<ListedContainer>> ListContainers(const std::string& label,
                                                      const Patience& patience);

  Result<ImageInfo> InspectImage(const std::string& reference, const Patience& patience);
  /// Those of one repository.
  Result<std::vector<ListedImage>> ListImages(const std::string& repository,
                                              const Patience& patience);
  /// Another name for an image. kNotFound where there is none.
  Status TagImage(const std::string& reference, const std::string& repository,
                  const std::string& tag, const Patience& patience);
  /// Takes a name away, and with its last one the image. Success also where there is none;
  /// kConflict where a container is made of it.
  Status RemoveImage(const std::string& reference, const Patience& patience);
  /// Makes an image of a stopped container; `config` is laid over the container's own.
  Status Commit(const std::string& container, const std::string& repository, const std::string& tag,
                const Json& config, const Patience& patience);
  /// Makes an image of a tar of a root file system.
  Status ImportImage(const std::filesystem::path& tar, const std::string& repository,
                     const std::string& tag, const Patience& patience);
  /// `on_line` returns false to give up.
  Status PullImage(const std::string& repository, const std::string& tag,
                   const std::function<bool(std::string_view)>& on_line, const Patience& patience);

 private:
  struct Ask {
    const char* call;   // for metrics: "create"
    std::string asked;  // for people: "create container x"
    std::string method = "GET";
    std::string target;  // below /v1.NN
    std::string body;    // JSON
  };
  using OnChunk = std::function<bool(std::string_view)>;

  Result<std::string> ApiVersion(const Patience& patience);
  Result<HttpReply> Send(const Ask& ask, const Patience& patience, const OnChunk& on_chunk = {},
                         const std::filesystem::path& upload = {});
  Result<HttpReply> SendOnce(const HttpCall& call, const Patience& patience,
                             const OnChunk& on_chunk, const std::filesystem::path& upload);
  Result<Json> SendForJson(const Ask& ask, const Patience& patience);
  Status Update(const std::string& id, const Json& limits, const Patience& patience);

  const std::string socket_;
  const DockerCallObserver observer_;
  std::mutex mutex_;
  std::string api_version_;  // guarded; "" until the first response
};

/// How long one call of the engine may take that does no long work: it answers in milliseconds, and
/// in seconds on a machine that swaps.
inline constexpr std::chrono::seconds kCallLimit{30};
/// For calls that end what must not go on; what they do not end is removed by a later call.
inline constexpr std::chrono::seconds kKillLimit{5};

}  // namespace mlprof::server::docker
