#include "server/runtime/docker/create_container.h"

#include "common/log/log.h"
#include "server/runtime/docker/call_limits.h"
#include "server/runtime/docker/remove_container.h"

namespace mlprof::server::docker {
namespace {

Status RemoveLeftover(DockerContext& context, const std::string& name, const Error& conflict,
                      const Patience& patience) {
  const Result<std::string> id = FindOwn(context, name, patience.AtMost(kCallLimit));
  if (!id && id.error().code() == ErrorCode::kNotFound) return Fail(conflict);
  if (!id) return Fail(id.error());
  LogWarn("a left-over container is removed", {{"container", name}});
  return context.engine.Remove(*id, patience.AtMost(kCallLimit));
}

}  // namespace

Result<std::string> CreateReplacingLeftover(DockerContext& context, const std::string& name,
                                            const Json& spec, const Patience& patience,
                                            std::chrono::seconds limit) {
  // The first may lose its answer, the second then finds the name taken.
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    Result<std::string> id = context.engine.CreateContainer(name, spec, patience.AtMost(limit));
    if (id || attempt == kAttempts) return id;
    const ErrorCode code = id.error().code();
    if (code != ErrorCode::kConflict && code != ErrorCode::kUnavailable) return id;
    if (code != ErrorCode::kConflict) continue;
    if (const Status removed = RemoveLeftover(context, name, id.error(), patience); !removed) {
      return Fail(removed.error());
    }
  }
}

Error TooLargeFor(const ScratchVolume& volume) {
  return Error(ErrorCode::kTooLarge,
               "what the image holds at its VOLUMEs and at the config's writablePaths is larger "
               "than the " +
                   SizeText(volume.limit()) + " or " + std::to_string(FilesFor(volume.limit())) +
                   " files that a container's writable folders may hold: make it smaller, or start "
                   "the server with a larger --scratch-limit-gb");
}

Error CreateError(const Error& error, const ScratchVolume& volume) {
  if (!volume.bounded() || error.code() != ErrorCode::kResourceExhausted) return error;
  const Result<DiskSpace> space = SpaceAt(volume.root());
  if (!space || !NearlyFull(*space)) return error;
  return TooLargeFor(volume);
}

bool IsUnseen(const Error& error, const std::filesystem::path& mounted) {
  const std::string& message = error.message();
  return message.find("bind source path does not exist") != std::string::npos &&
         message.find(mounted.string() + "/") != std::string::npos;
}

}  // namespace mlprof::server::docker
