// Where containers come from. One interface, one implementation an engine, one honest fake
// (tests/fakes/fake_runtime.h). Thread-safe.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/inference_config.h"
#include "common/domain/limits.h"
#include "common/domain/profile.h"
#include "common/domain/runtime_words.h"
#include "common/domain/warning.h"
#include "common/domain/write_error.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"
#include "server/runtime/agent_link.h"
#include "server/runtime/content_input.h"
#include "server/runtime/host_load.h"

namespace mlprof::server {

/// An image that can be launched, with what its own configuration says.
struct PreparedImage {
  std::string image_id;
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  std::string user;
  std::string working_directory;
  std::string stop_signal;
  std::vector<std::string> volumes;  // declared VOLUMEs; each gets a bounded scratch folder
  std::vector<Warning> warnings;
};

struct PrepareRequest {
  InferenceConfig config;
  std::shared_ptr<const ContentReader> source;  // its files; null for the image form
};

/// An image of an environment that this installation prepared or used, and keeps.
struct KeptImage {
  std::string id;  // as people know it: "mlprof-env:0123456789abcdef"
  Bytes size;      // what its removal frees, about
  Timestamp last_used;
  bool needed = false;  // by one of the requests that were named
};

struct LaunchRequest {
  std::string container_name;  // deterministic: profile + trial + attempt
  std::string profile_id;      // for the label
  PreparedImage image;
  InferenceConfig config;
  Limits limits;
  std::vector<ContentInput> inputs;       // models, source
  std::string cpuset;                     // "0-2": the cores it may run on; "": all
  std::vector<std::string> devices = {};  // GPUs of its machine that it is given, by uuid
  /// Files of /dev of its machine that it may open, of TPU chips: with them it may lock memory.
  std::vector<std::string> device_files = {};
};

/// How the engine says a container ended.
struct ContainerExit {
  bool running = false;
  int exit_code = 0;
  bool oom_killed = false;  // process 1 or another one, as the engine saw it
  /// The engine restarted meanwhile, or the container was removed: the other fields say nothing
  /// about what ran in it.
  bool by_engine = false;
  std::string error;
};

/// A running container with its agent connected. Destroying it removes the container.
class Target {
 public:
  virtual ~Target() = default;
  virtual const std::string& container_id() const = 0;
  virtual AgentLink& agent() = 0;
  /// The machine it runs on, which need not be the controller's.
  virtual Result<HostFacts> Host(Deadline deadline) = 0;
  /// How busy that machine is, never another one. An error where nobody can tell. Does not wait.
  virtual Result<HostLoad> ReadHostLoad() = 0;
  /// A connection to a TCP port of the model's, for which its container needs no network. As
  /// AgentLink::Connect.
  virtual Result<std::unique_ptr<PortStream>> Connect(int port, Deadline deadline) {
    return agent().Connect(port, deadline);
  }
  /// Where its "/" is seen from this machine, as long as it runs; "" where it is not, or where this
  /// program may not look.
  virtual std::filesystem::path Root() const { return {}; }
  virtual Status SetCpu(Cores cpu, Deadline deadline) = 0;
  /// In place, and never to less than it has (docs/decisions, 13). kNotAvailable from a runtime
  /// that cannot.
  virtual Status RaiseMemory(Bytes /*memory*/, Deadline) {
    return Fail(ErrorCode::kNotAvailable, "memory is not raised in place here");
  }
  /// The last `max` bytes of the model's stdout and stderr, in order.
  virtual Result<std::string> Logs(Bytes max, Deadline deadline) = 0;
  virtual Result<ContainerExit> Inspect(Deadline deadline) = 0;
  /// The bound on what it may write to disk that it has met since its launch, if any. A model that
  /// dies of a full disk gives the room back at once, so the watch may not see it: then a message
  /// about it in `log` counts. Does not wait.
  virtual std::optional<DiskFull> MetDiskBound([[maybe_unused]] std::string_view log) {
    return std::nullopt;
  }
  /// Kills and removes; idempotent. An engine that does not answer leaves a "lost" container, which
  /// is killed through its cgroup and removed later by label.
  virtual Status Remove(Deadline deadline) = 0;
};

/// Lines of image preparation, as they come (pip's output…).
using PrepareOutput = std::function<void(std::string_view text)>;

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual std::string name() const = 0;  // "docker"
  virtual RuntimeWords words() const = 0;
  /// Whether what it starts has files of its own, which nothing of the machine has in memory but
  /// other containers.
  virtual bool HasFilesOfItsOwn() const { return true; }
  /// What the engine can give a container, asked before there is one: a profile's ceiling is chosen
  /// within it. The machine that a container then runs on is told by its Target.
  virtual Result<HostFacts> Host(Deadline deadline, std::stop_token stop = {}) = 0;
  /// kUnavailable with the remedy when the engine does not answer; kResourceExhausted where this
  /// machine has no room for another container. Prepare and Launch say so with the same codes, and
  /// with kUnavailable too that the engine restarted and ended what they had begun.
  virtual Status Check(Deadline deadline, std::stop_token stop = {}) = 0;
  virtual Result<PreparedImage> Prepare(const PrepareRequest& request, const PrepareOutput& output,
                                        std::stop_token stop, Deadline deadline) = 0;
  /// Returns once the agent has connected and said Hello; the model is not started yet.
  virtual Result<std::unique_ptr<Target>> Launch(const LaunchRequest& request, std::stop_token stop,
                                                 Deadline deadline) = 0;
  /// The images that this installation keeps; never another's, nor one that was pulled or built by
  /// somebody else. `waiting`: what may be prepared any moment. kConflict where nobody can tell
  /// what one of these needs.
  virtual Result<std::vector<KeptImage>> KeptImages(const std::vector<PrepareRequest>& waiting,
                                                    Deadline deadline,
                                                    std::stop_token stop = {}) = 0;
  /// Removes one of them. kConflict where it was used since it was listed, or is in use.
  virtual Status RemoveImage(const KeptImage& image, Deadline deadline,
                             std::stop_token stop = {}) = 0;
  /// Removes this installation's containers that no Target owns. Returns how many; an error where
  /// some are left.
  virtual Result<int> RemoveOrphans(Deadline deadline, std::stop_token stop = {}) = 0;
};

}  // namespace mlprof::server
