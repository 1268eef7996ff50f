#include "server/runtime/docker/base_image.h"

#include <unistd.h>

#include <system_error>
#include <utility>

#include "server/runtime/docker/engine.h"
#include "server/runtime/environment/run_script.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::seconds kPullLimit{600};  // 6 GB at 10 MB/s; chosen, not measured

Status BuildOwn(const PrepareContext& context, const std::filesystem::path& tar) {
  if (::geteuid() != 0) {
    return Fail(Error(
        ErrorCode::kPermissionDenied,
        "there is no image " + std::string(kOwnBaseRepository) + ":" + kOwnBaseTag +
            " yet and only root can make it; as root: deploy/base-image/build base.tar && docker "
            "import base.tar " +
            kOwnBaseRepository + ":" + kOwnBaseTag));
  }
  std::string tail;
  environment::MaskedOutput output(context.secrets, [&](std::string_view text) {
    context.output(text);
    tail += text;
    constexpr std::size_t kKept = 2000;
    if (tail.size() > kKept) tail.erase(0, tail.size() - kKept);
  });
  const Result<int> status = environment::RunScript(
      std::string(BaseImageScript()), "base-image-build", {tar.string()},
      [&](std::string_view text) { output.Add(text); }, context.stop, context.deadline);
  output.Finish();
  if (!status) return Fail(status.error().WithContext("making the base image"));
  if (*status == 0) return {};
  return Fail(Internal("the base image could not be made from Debian packages:\n" + tail));
}

Result<ImageInfo> OwnBase(const PrepareContext& context) {
  DockerEngine& engine = context.docker.engine;
  const std::string reference = std::string(kOwnBaseRepository) + ":" + kOwnBaseTag;
  Result<ImageInfo> local = engine.InspectImage(reference, context.AtMost(kCallLimit));
  if (local || local.error().code() != ErrorCode::kNotFound) return local;
  context.Say("making the base image " + reference + " from Debian packages, once");
  const std::filesystem::path tar = context.docker.options.data_dir / "base-image.tar";
  Status made = BuildOwn(context, tar);
  if (made) {
    context.Say("importing " + reference);
    made = engine.ImportImage(tar, kOwnBaseRepository, kOwnBaseTag, context.patience());
  }
  std::error_code ignored;
  std::filesystem::remove(tar, ignored);
  if (!made) return Fail(made.error());
  return engine.InspectImage(reference, context.AtMost(kCallLimit));
}

bool EndsTheSearch(const PrepareContext& context, const Error& error) {
  return context.stop.stop_requested() || context.deadline.Passed() ||
         error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kCancelled ||
         error.code() == ErrorCode::kUnavailable;
}

Result<BaseImage> WithoutWarnings(Result<ImageInfo> image) {
  if (!image) return Fail(image.error());
  return BaseImage{*std::move(image), {}};
}

}  // namespace

Result<BaseImage> FindBaseImage(const PrepareContext& context, const std::string& asked) {
  if (asked.empty()) {
    const std::string& configured = context.docker.options.base_image;
    return WithoutWarnings(configured.empty() ? OwnBase(context) : FindOrPull(context, configured));
  }
  PrepareContext limited = context;
  limited.deadline = context.deadline.AtMost(kPullLimit);
  Result<ImageInfo> found = FindOrPull(limited, asked);
  if (found || EndsTheSearch(context, found.error())) return WithoutWarnings(std::move(found));
  const std::string why = found.error().message();
  context.Say(why);
  Result<BaseImage> own = FindBaseImage(context, "");
  if (!own) return own;
  own->warnings.push_back(
      {"baseImageReplaced",
       "base image '" + asked + "' could not be had and was replaced by " + "mlprof's own: " + why,
       "load it with `docker load` or `docker pull` to profile what you will "
       "deploy"});
  return own;
}

}  // namespace mlprof::server::docker
