#include "server/runtime/docker/create_with_copies.h"

#include <algorithm>
#include <stop_token>
#include <utility>

#include "server/runtime/docker/call_limits.h"
#include "server/runtime/docker/create_container.h"
#include "server/runtime/docker/disk/engine_disk.h"

namespace mlprof::server::docker {
namespace {

// 10 GiB, all that a container may write by default, at 17 MiB/s: a slow disk. Chosen, not
// measured.
constexpr std::chrono::minutes kCopyLimit{10};
constexpr std::chrono::seconds kPingLimit{5};

bool Copies(const std::vector<ScratchFolder>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [](const ScratchFolder& folder) { return folder.keeps_image_content; });
}

// The error of a create that did not end in time. If the engine still answers, it was the copy that
// took so long.
Error TookTooLong(DockerContext& context, const std::vector<ScratchFolder>& folders,
                  const Error& error, const std::stop_token& stop) {
  if (!context.engine.Ping({Deadline::After(kPingLimit), stop})) return error;
  std::string copied;
  for (const ScratchFolder& folder : folders) {
    if (folder.keeps_image_content) copied += (copied.empty() ? "" : ", ") + folder.container;
  }
  return Error(ErrorCode::kTooLarge,
               "Docker did not copy in time what the image holds at " + copied +
                   ", where the model may write (the image's VOLUMEs and the config's "
                   "writablePaths): make it smaller");
}

Error MetBound(const DiskFull& full, const ScratchVolume& volume) {
  if (full.place != DiskFull::Place::kHost) return TooLargeFor(volume);
  return Error(ErrorCode::kResourceExhausted,
               "the container was given up as its image's folders were copied: " + Clause(full));
}

}  // namespace

std::chrono::seconds CreateLimit(const std::vector<ScratchFolder>& folders) {
  return Copies(folders) ? kCopyLimit : kCallLimit;
}

Result<std::string> CreateWithCopies(DockerContext& context, const std::string& name,
                                     const Json& spec, const std::vector<ScratchFolder>& folders,
                                     const ScratchVolume& volume, const Patience& patience) {
  if (!Copies(folders)) return CreateReplacingLeftover(context, name, spec, patience, kCallLimit);
  std::stop_source give_up;
  const std::stop_callback asked(patience.stop, [&] { give_up.request_stop(); });
  WatchedDisks watched = volume.Watched();
  watched.hosts = DisksOf(context, patience.AtMost(kCallLimit));
  // The engine goes on with a copy that nobody waits for, until the volume is removed under it.
  const auto watch = DiskWatch::Start(
      std::move(watched), [&](const DiskFull&, const std::stop_token&) { give_up.request_stop(); });
  if (!watch) return Fail(watch.error());
  Result<std::string> id = CreateReplacingLeftover(
      context, name, spec, Patience(patience.deadline, give_up.get_token()), kCopyLimit);
  (*watch)->Stop();
  if (id || patience.stop.stop_requested()) return id;
  const auto full = (*watch)->Met();
  if (full && full->killed) return Fail(MetBound(*full, volume));
  if (id.error().code() == ErrorCode::kDeadlineExceeded) {
    return Fail(TookTooLong(context, folders, id.error(), patience.stop));
  }
  return Fail(CreateError(id.error(), volume));
}

}  // namespace mlprof::server::docker
