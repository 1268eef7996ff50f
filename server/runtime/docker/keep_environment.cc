#include "server/runtime/docker/keep_environment.h"

#include <utility>

#include "server/runtime/docker/create_container.h"
#include "server/runtime/docker/disk/disk_watch.h"
#include "server/runtime/docker/disk/loop_volume.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/docker/engine_restart.h"
#include "server/runtime/docker/host_facts.h"
#include "server/runtime/docker/preparation_spec.h"
#include "server/runtime/docker/remove_container.h"
#include "server/runtime/environment/environment_recipe.h"
#include "server/runtime/environment/environment_size.h"

namespace mlprof::server::docker {
namespace {

// 20 GiB, the most that installing may write by default, at 34 and 68 MiB/s. Chosen, not measured.
constexpr std::chrono::seconds kEnvironmentCopyLimit{600};
constexpr std::chrono::seconds kCommitLimit{300};

Error NotKept(const std::string& why) {
  return Error(ErrorCode::kTooLarge, "what was installed cannot be kept: " + why);
}

// Elsewhere a profile waits when a disk has no room. Here it fails: after the wait all packages
// would be installed once more, and meet the same disk.
Status AsEnd(const Status& status) {
  if (status || status.error().code() != ErrorCode::kResourceExhausted) return status;
  return Fail(NotKept(status.error().message()));
}

// The container is removed with what it has written, whether or not an image was made of it.
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

  /// Until all is copied, or one of the `disks` runs full. kUnavailable where the engine left.
  Status Copy(std::vector<std::filesystem::path> disks, const Patience& patience) {
    const Status copied = CopyToEnd(std::move(disks), patience);
    if (copied) return copied;
    return Fail(UnlessEngineLeft(docker_.engine, started_ ? id_ : "", copied.error(), stop_));
  }

  const std::string& id() const { return id_; }

 private:
  Status CopyToEnd(std::vector<std::filesystem::path> disks, const Patience& patience) {
    MLPROF_TRY(docker_.engine.StartContainer(id_, patience.AtMost(kCallLimit)));
    started_ = true;
    WatchedDisks watched;
    watched.hosts = std::move(disks);
    const auto watch =
        DiskWatch::Start(std::move(watched), [this](const DiskFull&, const std::stop_token& stop) {
          const Patience moment(Deadline::After(kKillLimit), stop);
          if (!docker_.engine.Kill(id_, moment)) KillThroughCgroup(id_);
        });
    if (!watch) return Fail(watch.error());
    const Result<int> exit_code = docker_.engine.Wait(id_, patience.AtMost(kEnvironmentCopyLimit));
    (*watch)->Stop();
    if (const auto full = (*watch)->Met()) return Fail(NotKept(Clause(*full)));
    if (!exit_code) return Fail(exit_code.error());
    if (*exit_code == 0) return {};
    const std::string log =
        docker_.engine.Logs(id_, patience.AtMost(kCallLimit)).value_or("nothing says why");
    return Fail(InvalidArgument("what was installed cannot be kept: " + log));
  }

  DockerContext& docker_;
  const std::stop_token stop_;
  const std::string name_;
  bool asked_ = false;  // the engine was, to create it
  std::string id_;      // "" until it said so
  bool started_ = false;
};

Status Keep(const PrepareContext& context, const InstalledEnvironment& installed) {
  DockerContext& docker = context.docker;
  MLPROF_LET(size, environment::SizeOfEnvironment(installed.environment,
                                                  {installed.limit, FilesFor(installed.limit)},
                                                  context.patience()));
  const auto disks = DisksOf(docker, context.AtMost(kCallLimit));
  // Once in the container and once in the image.
  MLPROF_TRY(AdmitByDisk(disks, {size.bytes + size.bytes, 2 * size.files}));
  Keeping keeping;
  keeping.base_image_id = installed.base_image_id;
  keeping.volumes = installed.volumes;
  keeping.agent_binary = docker.options.agent_binary;
  keeping.environment = installed.environment;
  keeping.bytes = installed.limit;
  keeping.files = FilesFor(installed.limit);
  keeping.instance_id = docker.options.instance_id;
  KeepingContainer container(docker, installed.hash, context.stop);
  MLPROF_TRY(container.Create(KeepingSpec(keeping), context.patience()));
  MLPROF_TRY(container.Copy(disks, context.patience()));
  // Asked again: others may have written to the disk meanwhile, and a commit cannot be ended.
  MLPROF_TRY(AdmitByDisk(disks, {size.bytes, size.files}));
  return docker.engine.Commit(container.id(), environment::kRepository, installed.hash,
                              EnvironmentImageConfig(installed.hash, installed.python, size.bytes),
                              context.AtMost(kCommitLimit));
}

}  // namespace

Status KeepEnvironment(const PrepareContext& context, const InstalledEnvironment& installed) {
  return AsEnd(Keep(context, installed));
}

}  // namespace mlprof::server::docker
