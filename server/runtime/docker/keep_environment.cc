#include "server/runtime/docker/keep_environment.h"

#include <algorithm>
#include <utility>

#include "common/os/tree_walk.h"
#include "server/runtime/docker/create_container.h"
#include "server/runtime/docker/disk/engine_disk.h"
#include "server/runtime/docker/disk/loop_volume.h"
#include "server/runtime/docker/environment_recipe.h"
#include "server/runtime/docker/preparation_spec.h"
#include "server/runtime/docker/remove_container.h"

namespace mlprof::docker {
namespace {

constexpr std::chrono::seconds kCallLimit{30};
constexpr std::chrono::seconds kCopyLimit{600};
constexpr std::chrono::seconds kCommitLimit{300};

// Goes with what it has written, whether or not an image was made of it.
class KeepingContainer {
 public:
  KeepingContainer(DockerContext& docker, const std::string& hash, std::stop_token stop)
      : docker_(docker),
        stop_(std::move(stop)),
        name_("mlprof-keep-" + docker.options.instance_id.substr(0, 12) + "-" + hash) {
    docker_.live.Add(name_);
  }
  ~KeepingContainer() {
    const Patience patience(Deadline::After(kCallLimit), stop_);
    if (asked_) (void)RemoveOrLose(docker_, name_, id_, patience);
    docker_.live.Remove(name_);
  }
  KeepingContainer(const KeepingContainer&) = delete;
  KeepingContainer& operator=(const KeepingContainer&) = delete;

  Status Create(const Json& spec, const Patience& patience) {
    asked_ = true;
    Result<std::string> id = CreateReplacingLeftover(docker_, name_, spec, patience);
    if (!id) return Fail(id.error());
    id_ = *std::move(id);
    return {};
  }

  /// Until all is copied.
  Status Copy(const Patience& patience) {
    MLPROF_TRY(docker_.engine.StartContainer(id_, patience.AtMost(kCallLimit)));
    const Result<int> exit_code = docker_.engine.Wait(id_, patience.AtMost(kCopyLimit));
    if (!exit_code) return Fail(exit_code.error());
    if (*exit_code == 0) return {};
    const std::string log =
        docker_.engine.Logs(id_, patience.AtMost(kCallLimit)).value_or("nothing says why");
    return Fail(InvalidArgument("what was installed cannot be kept: " + log));
  }

  const std::string& id() const { return id_; }

 private:
  DockerContext& docker_;
  const std::stop_token stop_;
  const std::string name_;
  bool asked_ = false;  // the engine was, to create it
  std::string id_;      // "" until it said so
};

// What a copy of it takes: holes count in full, as they do in an image's archive.
Result<Bytes> SizeOf(const InstalledEnvironment& installed, Deadline deadline) {
  std::int64_t size = 0;
  const auto add = [&](const WalkedEntry& entry) {
    const std::int64_t most = installed.limit.count() + 1;
    size += std::clamp<std::int64_t>(entry.status.st_size, 0, most - std::min(size, most));
  };
  const auto walk = WalkTree(installed.environment, {FilesFor(installed.limit), deadline}, add);
  if (!walk) return Fail(walk.error());
  if (walk->end == WalkEnd::kOutOfTime) {
    return Fail(DeadlineExceeded("what was installed could not be counted in time"));
  }
  if (walk->end == WalkEnd::kTooManyEntries || Bytes(size) > installed.limit) {
    return Fail(ErrorCode::kTooLarge, "what was installed is larger than the " +
                                          SizeText(installed.limit) + " or " +
                                          std::to_string(FilesFor(installed.limit)) +
                                          " files that an environment may hold");
  }
  return Bytes(size);
}

}  // namespace

Status KeepEnvironment(const PrepareContext& context, const InstalledEnvironment& installed) {
  DockerContext& docker = context.docker;
  const Result<Bytes> size = SizeOf(installed, context.deadline);
  if (!size) return Fail(size.error());
  // Once in the container and once in the image.
  MLPROF_TRY(AdmitByDisk(DisksOf(docker, context.AtMost(kCallLimit)), *size + *size));
  Keeping keeping;
  keeping.base_image_id = installed.base_image_id;
  keeping.agent_binary = docker.options.agent_binary;
  keeping.environment = installed.environment;
  keeping.bytes = installed.limit;
  keeping.files = FilesFor(installed.limit);
  keeping.instance_id = docker.options.instance_id;
  KeepingContainer container(docker, installed.hash, context.stop);
  MLPROF_TRY(container.Create(KeepingSpec(keeping), context.patience()));
  MLPROF_TRY(container.Copy(context.patience()));
  return docker.engine.Commit(container.id(), kEnvironmentRepository, installed.hash,
                              EnvironmentImageConfig(installed.hash, installed.python),
                              context.AtMost(kCommitLimit));
}

}  // namespace mlprof::docker
