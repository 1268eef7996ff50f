#include "server/runtime/docker/create_container.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "common/log/log.h"
#include "common/os/tree_walk.h"
#include "common/units/size_text.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/docker/host_facts.h"
#include "server/runtime/docker/remove_container.h"

namespace mlprof::server::docker {
namespace {

// How long an engine may take until it gives a name back whose container it is removing already. On
// a quiet engine that is some milliseconds; one that has just been restarted or hung takes longer.
constexpr std::chrono::seconds kNameFree{15};
constexpr std::chrono::milliseconds kLookAgain{100};

// Success also where the engine is about to remove it, or has by now.
Status RemoveLeftover(DockerContext& context, const std::string& name, const Patience& patience) {
  const Result<std::string> id = FindOwn(context, name, patience.AtMost(kCallLimit));
  if (!id && id.error().code() == ErrorCode::kNotFound) return {};
  if (!id) return Fail(id.error());
  return context.engine.Remove(*id, patience.AtMost(kCallLimit));
}

}  // namespace

Result<std::string> CreateReplacingLeftover(DockerContext& context, const std::string& name,
                                            const Json& spec, const Patience& patience,
                                            std::chrono::seconds limit) {
  // A create that lost its response may have made a container: the next then finds the name taken.
  constexpr int kLostResponses = 2;
  std::optional<Deadline> name_free;
  for (int lost = 0;;) {
    Result<std::string> id = context.engine.CreateContainer(name, spec, patience.AtMost(limit));
    if (id) return id;
    const ErrorCode code = id.error().code();
    if (code == ErrorCode::kUnavailable && ++lost <= kLostResponses) continue;
    if (code != ErrorCode::kConflict) return id;
    if (const Status removed = RemoveLeftover(context, name, patience); !removed) {
      return Fail(removed.error());
    }
    if (!name_free) {
      LogWarn("a left-over container is removed", {{"container", name}});
      name_free = patience.deadline.AtMost(kNameFree);
      continue;
    }
    if (name_free->Passed() || patience.stop.stop_requested()) return id;
    std::this_thread::sleep_for(kLookAgain);
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

namespace {

// More than any file system of a container's own holds.
constexpr std::int64_t kMostEntries = 10'000'000;

void OpenUp(const WalkedEntry& entry) {
  const mode_t mode = entry.status.st_mode & 07777;
  if (S_ISDIR(entry.status.st_mode)) ::fchmodat(entry.folder, entry.name, mode | 0777, 0);
  if (S_ISREG(entry.status.st_mode)) ::fchmodat(entry.folder, entry.name, mode | 0666, 0);
}

}  // namespace

Status MakeScratch(const std::vector<ScratchFolder>& folders) {
  for (const ScratchFolder& folder : folders) {
    std::error_code error;
    std::filesystem::create_directories(folder.host, error);
    if (error) return Fail(FromErrno(error.value(), "cannot make " + folder.host.string()));
    // By chmod, because the process's umask takes rights away from new folders.
    if (::chmod(folder.host.c_str(), 01777) != 0) {
      return Fail(FromErrno(errno, "cannot open up " + folder.host.string()));
    }
  }
  return {};
}

Status OpenScratch(const std::vector<ScratchFolder>& folders, Deadline deadline) {
  for (const ScratchFolder& folder : folders) {
    if (!folder.keeps_image_content) continue;
    ::chmod(folder.host.c_str(), 01777);
    const Result<Walk> walk = WalkTree(folder.host, {kMostEntries, deadline}, OpenUp);
    if (!walk) return Fail(walk.error());
    if (walk->end != WalkEnd::kComplete) {
      return Fail(ErrorCode::kTooLarge, "the image holds too many files at " + folder.container +
                                            ", which the model may write to");
    }
  }
  return {};
}

}  // namespace mlprof::server::docker
