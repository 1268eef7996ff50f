#include <utility>

#include "server/runtime/docker/engine.h"
#include "server/runtime/docker/prepare.h"
#include "server/runtime/docker/pull_failure.h"
#include "server/runtime/environment/image_reference.h"
#include "server/runtime/environment/pip_settings.h"

namespace mlprof::server::docker {
namespace {

// The registry has it not, or does not say whether it has.
bool RegistryResponded(const Error& error) {
  const std::string& message = error.message();
  for (const char* part : {"manifest unknown", "not found: manifest", "repository does not exist",
                           "pull access denied", "unauthorized"}) {
    if (message.find(part) != std::string::npos) return true;
  }
  return false;
}

Error PullFailed(const std::string& reference, const Error& error) {
  if (error.code() == ErrorCode::kCancelled || error.code() == ErrorCode::kDeadlineExceeded) {
    return error;
  }
  // The engine itself, not a registry.
  if (error.code() == ErrorCode::kUnavailable) return error;
  const std::string why = PullFailure(error.message());
  if (RegistryResponded(error)) {
    return Error(ErrorCode::kNotFound,
                 "image '" + reference +
                     "' is not on this machine, and its registry does not give it (" + why +
                     "); check the name, or pull it with `docker login` and `docker pull`");
  }
  return Error(ErrorCode::kNotFound,
               "image '" + reference + "' is not on this machine, and no registry answers (" + why +
                   "); load the image with `docker load -i FILE` or build it here");
}

// The registry of an image that the operator named himself is one that he allows.
Status CheckRegistry(const PrepareContext& context, const std::string& reference,
                     const environment::ImageReference& parsed) {
  const std::string registry = environment::RegistryOf(parsed.repository);
  const DockerOptions& options = context.docker.options;
  if (reference == options.base_image || environment::MayPullFrom(registry, options.registries))
    return {};
  const Result<EngineInfo> info = context.docker.engine.Info(context.deadline.AtMost(kCallLimit));
  if (!info) return Fail(info.error());
  if (environment::MayPullFrom(registry, info->registries)) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "image '" + reference +
                  "' is not on this machine, and this server pulls nothing from " + registry +
                  "; pull it here with `docker pull`, or start mlprof-server with "
                  "--registries " +
                  registry);
}

}  // namespace

Result<ImageInfo> FindOrPull(const PrepareContext& context, const std::string& reference) {
  const Result<environment::ImageReference> parsed = environment::ParseImageReference(reference);
  if (!parsed) return Fail(parsed.error());
  DockerEngine& engine = context.docker.engine;
  Result<ImageInfo> local = engine.InspectImage(reference, context.AtMost(kCallLimit));
  if (local || local.error().code() != ErrorCode::kNotFound) return local;
  if (parsed->repository.empty()) {
    return Fail(NotFound("image '" + reference + "' is not on this machine"));
  }
  MLPROF_TRY(CheckRegistry(context, reference, *parsed));
  context.Say("pulling image " + reference);
  const auto on_line = [&](std::string_view line) {
    context.Say(std::string(line));
    return true;
  };
  const Status pulled =
      engine.PullImage(parsed->repository, parsed->tag, on_line, context.patience());
  if (context.stop.stop_requested()) return Fail(Cancelled("stopped while pulling an image"));
  if (!pulled) return Fail(PullFailed(reference, pulled.error()));
  return engine.InspectImage(reference, context.AtMost(kCallLimit));
}

Result<PreparedImage> PrepareNamedImage(const PrepareContext& context,
                                        const std::string& reference) {
  Result<ImageInfo> info = FindOrPull(context, reference);
  if (!info) return Fail(info.error());
  PreparedImage image;
  image.image_id = std::move(info->id);
  image.entrypoint = std::move(info->entrypoint);
  image.command = std::move(info->command);
  image.environment = std::move(info->environment);
  image.user = std::move(info->user);
  image.working_directory = std::move(info->working_directory);
  image.stop_signal = std::move(info->stop_signal);
  image.volumes = std::move(info->volumes);
  return image;
}

// Whatever is told of a preparation leaves through here.
Result<PreparedImage> PrepareImage(DockerContext& docker, const PrepareRequest& request,
                                   const PrepareOutput& output, std::stop_token stop,
                                   Deadline deadline) {
  const environment::SecretMask secrets = environment::SecretsOf(environment::ThisHost());
  const PrepareContext context{docker, output, secrets, std::move(stop), deadline};
  Result<PreparedImage> image =
      request.config.IsEntryScript()
          ? PrepareEnvironment(context, request)
          : PrepareNamedImage(context, std::get<ImageConfig>(request.config.service).image);
  if (!image) return Fail(secrets.Masked(image.error()));
  for (Warning& warning : image->warnings) {
    warning.message = secrets.Masked(warning.message);
    warning.advice = secrets.Masked(warning.advice);
  }
  return image;
}

}  // namespace mlprof::server::docker
