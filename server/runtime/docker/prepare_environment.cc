#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "server/runtime/docker/accept_agent.h"
#include "server/runtime/docker/base_image.h"
#include "server/runtime/docker/create_container.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/docker/engine_restart.h"
#include "server/runtime/docker/host_facts.h"
#include "server/runtime/docker/keep_environment.h"
#include "server/runtime/docker/kept_images.h"
#include "server/runtime/docker/lent_proxies.h"
#include "server/runtime/docker/preparation_spec.h"
#include "server/runtime/docker/prepare.h"
#include "server/runtime/docker/remove_container.h"
#include "server/runtime/environment/environment_recipe.h"
#include "server/runtime/environment/output_tail.h"
#include "server/runtime/environment/pip_settings.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::seconds kPreparationRemoveLimit{60};  // what is left is an orphan's
constexpr std::size_t kShownLines = 20;

// A container that installs packages, and what was made for it; both go when this does.
class PreparingContainer {
 public:
  PreparingContainer(const PrepareContext& context, std::string hash)
      : context_(context),
        docker_(context.docker),
        hash_(std::move(hash)),
        name_("mlprof-prepare-" + docker_.options.instance_id.substr(0, 12) + "-" + hash_),
        folder_(docker_.ScratchRoot() / name_),
        // A package's archive lies beside what it unpacks to.
        limit_(docker_.options.scratch_limit + docker_.options.scratch_limit) {
    docker_.live.Add(name_);
  }
  ~PreparingContainer() {
    if (watch_) watch_->Stop();
    const Deadline deadline = Deadline::After(kPreparationRemoveLimit);
    const Patience patience(deadline.AtMost(kCallLimit), context_.stop);
    if (asked_) (void)RemoveOrLose(docker_, name_, id_, patience);
    proxies_.reset();
    if (volume_) volume_->Remove(ForScratch(deadline, context_.stop));
    docker_.live.Remove(name_);
  }
  PreparingContainer(const PreparingContainer&) = delete;
  PreparingContainer& operator=(const PreparingContainer&) = delete;

  Status Create(const ImageInfo& base, const std::vector<std::string>& packages);
  /// Until the packages are installed. kInvalidArgument with its last lines where they cannot be,
  /// kUnavailable where the engine left meanwhile.
  Status Run();
  /// Makes the environment's image.
  Status Keep();

 private:
  Status CreateOnVolume(const ImageInfo& base, const std::vector<std::string>& packages);
  Status WatchDisks();
  Status LendProxies(environment::PipSettings& pip);
  Status WriteEnvironment(const std::filesystem::path& file, const environment::PipSettings& pip);
  Status RunToEnd();
  Status FollowOutput();
  Error Failed(int exit_code);

  const PrepareContext& context_;
  DockerContext& docker_;
  const std::string hash_;
  const std::string name_;
  const std::filesystem::path folder_;
  const Bytes limit_;
  std::unique_ptr<ScratchVolume> volume_;
  std::unique_ptr<DiskWatch> watch_;
  std::unique_ptr<LentProxies> proxies_;
  std::vector<std::string> notes_;  // what it cannot reach
  ImageInfo base_;
  bool asked_ = false;  // the engine was, to create it
  std::string id_;      // "" until it said so
  bool started_ = false;
  environment::OutputTail tail_{kShownLines};
  std::string python_;
};

Status PreparingContainer::LendProxies(environment::PipSettings& pip) {
  const DockerOptions& options = docker_.options;
  MLPROF_LET(root, SocketRoot(options.data_dir, options.instance_id));
  proxies_.reset();  // of a first attempt: the new ones use the same folder
  MLPROF_LET(lent, LentProxies::Start(options, pip, root / ShortName(name_)));
  proxies_ = std::move(lent);
  notes_ = pip.notes;
  for (const std::string& note : notes_) context_.Say("note: " + note);
  return {};
}

Status PreparingContainer::WriteEnvironment(const std::filesystem::path& file,
                                            const environment::PipSettings& pip) {
  std::ofstream out(file);
  out << environment::ShellExports(pip.environment) << proxies_->Commands();
  out.close();
  if (!out) return Fail(Internal("cannot write " + file.string()));
  // Readable to the container's root, which may be another uid than ours. The folder it lies in
  // keeps other users of the machine out.
  std::error_code error;
  std::filesystem::permissions(file, std::filesystem::perms(0644), error);
  if (error) return Fail(FromErrno(error.value(), "cannot open up " + file.string()));
  return {};
}

Status PreparingContainer::Create(const ImageInfo& base, const std::vector<std::string>& packages) {
  MLPROF_TRY(AdmitByDisk(DisksOf(docker_, context_.AtMost(kCallLimit)), Bytes(0)));
  base_ = base;
  const Status created = CreateOnVolume(base, packages);
  const bool unseen =
      !created && volume_ && volume_->bounded() && IsUnseen(created.error(), volume_->root());
  if (!unseen) return created;
  docker_.volumes.MountNoMore();
  return CreateOnVolume(base, packages);
}

Status PreparingContainer::CreateOnVolume(const ImageInfo& base,
                                          const std::vector<std::string>& packages) {
  const Result<EngineInfo> info = docker_.engine.Info(context_.AtMost(kCallLimit));
  if (!info) return Fail(info.error());
  volume_.reset();
  MLPROF_LET(volume, docker_.volumes.Make(folder_, limit_, context_.deadline));
  volume_ = std::move(volume);
  Preparation preparation;
  preparation.base_image_id = base.id;
  preparation.packages = packages;
  preparation.environment_file = folder_ / "environment";
  MLPROF_LET(folders, PreparationFolders(base.volumes, volume_->root()));
  preparation.folders = std::move(folders);
  preparation.pip = environment::PipSettingsOf(environment::ThisHost());
  MLPROF_TRY(LendProxies(preparation.pip));
  // Three quarters of the host's memory. Unpacking a large wheel fills the page cache, which gives
  // way at the limit; a package that is compiled may need much.
  preparation.memory = std::max(GiB(1), Scale(info->memory, 0.75));
  preparation.instance_id = docker_.options.instance_id;
  MLPROF_TRY(MakeScratch(preparation.folders));
  MLPROF_TRY(WriteEnvironment(preparation.environment_file, preparation.pip));
  asked_ = true;
  Result<std::string> id =
      CreateReplacingLeftover(docker_, name_, PreparationSpec(preparation), context_.patience());
  if (!id) return Fail(CreateError(id.error(), *volume_));
  id_ = *std::move(id);
  return {};
}

Status PreparingContainer::WatchDisks() {
  WatchedDisks watched = volume_->Watched();
  watched.hosts = DisksOf(docker_, context_.AtMost(kCallLimit));
  const auto on_full = [this](const DiskFull&, const std::stop_token& stop) {
    const Patience moment(Deadline::After(kKillLimit), stop);
    if (!docker_.engine.Kill(id_, moment)) KillThroughCgroup(id_);
  };
  MLPROF_LET(watch, DiskWatch::Start(std::move(watched), on_full));
  watch_ = std::move(watch);
  return {};
}

Status PreparingContainer::Run() {
  const Status ran = RunToEnd();
  if (ran || context_.deadline.Passed()) return ran;
  return Fail(UnlessEngineLeft(docker_.engine, started_ ? id_ : "", ran.error(), context_.stop));
}

Status PreparingContainer::RunToEnd() {
  DockerEngine& engine = docker_.engine;
  MLPROF_TRY(engine.StartContainer(id_, context_.AtMost(kCallLimit)));
  started_ = true;
  // The watch begins after the start, because it could not end a container that does not run yet.
  MLPROF_TRY(WatchDisks());
  const Status followed = FollowOutput();
  for (const std::string& why : proxies_->Refused()) context_.Say("note: " + why);
  if (context_.stop.stop_requested()) return Fail(Cancelled("stopped while installing packages"));
  if (!followed && context_.deadline.Passed()) {
    return Fail(DeadlineExceeded("installing the packages took too long; the last lines:\n" +
                                 tail_.Text()));
  }
  if (!followed) return followed;
  const Result<int> exit_code = engine.Wait(id_, context_.AtMost(kCallLimit));
  if (!exit_code) return Fail(exit_code.error());
  if (*exit_code != 0) return Fail(Failed(*exit_code));
  return {};
}

Status PreparingContainer::FollowOutput() {
  // Masked before the output is cut into lines and pieces: a password that was cut would not be
  // found.
  environment::MaskedOutput output(context_.secrets, [&](std::string_view text) {
    context_.output(text);
    tail_.Add(text, [&](std::string_view line) {
      const std::string_view mark(environment::kPythonMark);
      if (line.substr(0, mark.size()) == mark) python_ = line.substr(mark.size());
    });
  });
  const Status followed = docker_.engine.FollowLogs(
      id_, [&](std::string_view text) { output.Add(text); }, context_.patience());
  output.Finish();
  return followed;
}

Error PreparingContainer::Failed(int exit_code) {
  std::string why = "the packages could not be installed";
  const auto state = docker_.engine.InspectContainer(id_, context_.AtMost(kCallLimit));
  if (const auto full = watch_->Met(tail_.Text())) {
    why += ": " + Clause(*full, "/tmp and the environment");
  } else if (state && state->oom_killed) {
    why += ": the machine has not enough memory for it";
  }
  why += " (exit code " + std::to_string(exit_code) + ")";
  for (const std::string& note : notes_) why += "; " + note;
  return InvalidArgument(why + "; the last lines:\n" + tail_.Text());
}

Status PreparingContainer::Keep() {
  watch_->Stop();
  MLPROF_LET(volumes, VolumePaths(base_.volumes));
  return KeepEnvironment(context_, {hash_, base_.id, std::move(volumes), python_,
                                    EnvironmentBelow(volume_->root()), limit_});
}

// The image to be run: the environment's, with the user, folder and variables of its base image.
PreparedImage PreparedOf(const ImageInfo& environment, const BaseImage& base,
                         const environment::Recipe& recipe) {
  PreparedImage image;
  image.image_id = environment.id;
  image.environment = base.image.environment;
  image.user = base.image.user;
  image.working_directory = base.image.working_directory;
  image.volumes = base.image.volumes;
  image.warnings = base.warnings;
  image.warnings.insert(image.warnings.end(), recipe.warnings.begin(), recipe.warnings.end());
  const auto python = environment.labels.find(environment::kPythonLabel);
  if (python != environment.labels.end()) {
    for (Warning& warning : environment::PythonWarnings(recipe.conda_python, python->second)) {
      image.warnings.push_back(std::move(warning));
    }
  }
  return image;
}

Status Make(const PrepareContext& context, const environment::Recipe& recipe, const BaseImage& base,
            const std::string& hash) {
  context.Say("installing " + std::to_string(recipe.packages.size()) +
              " packages and what they need, once for this environment");
  PreparingContainer container(context, hash);
  MLPROF_TRY(container.Create(base.image, recipe.packages));
  MLPROF_TRY(container.Run());
  context.Say("keeping the environment as image " + std::string(environment::kRepository) + ":" +
              hash);
  return container.Keep();
}

// Gives the image this installation's name first, so that no other installation removes it, then
// looks it up. An engine that fails to give a name may still have the image.
Result<ImageInfo> FindKept(const PrepareContext& context, const std::string& hash) {
  const Status kept = KeepImage(context.docker, hash, context.patience());
  if (!kept && kept.error().code() == ErrorCode::kNotFound) return Fail(kept.error());
  return context.docker.engine.InspectImage(std::string(environment::kRepository) + ":" + hash,
                                            context.AtMost(kCallLimit));
}

}  // namespace

Result<PreparedImage> PrepareEnvironment(const PrepareContext& context,
                                         const PrepareRequest& request) {
  const auto& script = std::get<EntryScriptConfig>(request.config.service);
  // First of all, so that a bad package is told before anything slow begins.
  const Result<environment::Recipe> recipe = environment::RecipeOf(script, request.source.get());
  if (!recipe) return Fail(recipe.error());
  const auto turn = context.docker.preparing.Enter(context.patience());
  if (!turn) return Fail(turn.error().WithContext("another environment is being prepared"));
  const Result<BaseImage> base = FindBaseImage(context, script.base_image);
  if (!base) return Fail(base.error());
  const std::string hash = environment::RecipeHash(*recipe, base->image.id);
  // From here on the retention does not remove this environment.
  MLPROF_TRY(context.docker.uses.Use(hash, Now(), context.patience()));
  Result<ImageInfo> image = FindKept(context, hash);
  if (!image && image.error().code() == ErrorCode::kNotFound) {
    MLPROF_TRY(Make(context, *recipe, *base, hash));
    image = FindKept(context, hash);
  }
  if (!image) return Fail(image.error());
  return PreparedOf(*image, *base, *recipe);
}

}  // namespace mlprof::server::docker
