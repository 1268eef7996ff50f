#include "server/runtime/docker/disk/disk_watch.h"

#include <algorithm>
#include <utility>

#include "common/os/start_thread.h"
#include "common/os/tree_walk.h"

namespace mlprof::server::docker {

Result<std::unique_ptr<DiskWatch>> DiskWatch::Start(WatchedDisks watched, OnFull on_full,
                                                    WatchPauses pauses, SpaceProbe probe) {
  std::unique_ptr<DiskWatch> watch(
      new DiskWatch(std::move(watched), std::move(on_full), pauses, std::move(probe)));
  auto thread = StartThread("disk watch",
                            [raw = watch.get()](const std::stop_token& stop) { raw->Run(stop); });
  if (!thread) return Fail(thread.error());
  watch->thread_ = *std::move(thread);
  return watch;
}

DiskWatch::DiskWatch(WatchedDisks watched, OnFull on_full, WatchPauses pauses, SpaceProbe probe)
    : watched_(std::move(watched)),
      on_full_(std::move(on_full)),
      pauses_(pauses),
      probe_(std::move(probe)) {}

DiskWatch::~DiskWatch() = default;  // the thread stops and joins first

std::optional<DiskFull> DiskWatch::Met(std::string_view log) {
  LookAtVolume();
  {
    const std::lock_guard lock(mutex_);
    if (met_) return met_;
  }
  if (!MentionsFullDisk(log)) return std::nullopt;
  DiskFull told;
  told.place = DiskFull::Place::kToldByLog;
  told.bytes = watched_.limit;
  told.files = watched_.files_limit;
  return told;
}

void DiskWatch::Run(const std::stop_token& stop) {
  auto next_walk = std::chrono::steady_clock::now() + pauses_.walk;
  auto pause = pauses_.look;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, pause, [] { return false; });
    }
    if (stop.stop_requested()) return;
    pause = LookAtVolume() ? pauses_.often : pauses_.look;
    std::optional<DiskFull> full = HostShortage();
    if (!full && !watched_.folders.empty() && std::chrono::steady_clock::now() >= next_walk) {
      full = FoldersOver(stop);
      next_walk = std::chrono::steady_clock::now() + pauses_.walk;
    }
    if (stop.stop_requested()) return;
    if (!full) continue;
    full->killed = true;
    Note(*full);
    on_full_(*full, stop);
    return;
  }
}

std::optional<DiskFull> DiskWatch::HostShortage() const {
  for (const auto& host : watched_.hosts) {
    const Result<DiskSpace> space = probe_(host);
    if (!space) continue;
    if (auto short_of = Shortage(host, *space)) return short_of;
  }
  return std::nullopt;
}

// Walks the folders for their size. The walk may take long, so it looks at the disks of the host as
// it goes, and is given up where one runs short.
std::optional<DiskFull> DiskWatch::FoldersOver(const std::stop_token& stop) const {
  constexpr std::int64_t kStatBlock = 512;
  std::optional<DiskFull> short_of;
  const auto give_up = [&] {
    short_of = HostShortage();
    return short_of || stop.stop_requested();
  };
  const Deadline deadline = Deadline::After(pauses_.longest_walk);
  DiskFull full;
  full.bytes = watched_.limit;
  full.files = watched_.files_limit;
  Bytes used;
  std::int64_t left = watched_.files_limit;
  for (const auto& folder : watched_.folders) {
    const auto walk = WalkTree(folder, {left, deadline, give_up}, [&](const WalkedEntry& entry) {
      used += Bytes(entry.status.st_blocks * kStatBlock);
    });
    if (used > watched_.limit) return full;
    if (!walk) continue;
    if (walk->end == WalkEnd::kGivenUp) return short_of;
    full.unit = DiskFull::Unit::kFiles;
    // A walk that met its bound of entries, or its deadline, counts as too many files.
    if (walk->end != WalkEnd::kComplete) return full;
    full.unit = DiskFull::Unit::kBytes;
    left -= walk->entries;
  }
  return std::nullopt;
}

// Notes where the volume is full. Gives whether it should be looked at often from now on: half of
// it is used.
bool DiskWatch::LookAtVolume() {
  if (watched_.volume.empty()) return false;
  const Result<DiskSpace> space = probe_(watched_.volume);
  if (!space) return false;
  if (auto full = NearlyFull(*space)) {
    // The limit that was asked for is told; the volume itself is smaller by what ext4 needs.
    full->bytes = watched_.limit;
    Note(*full);
  }
  return space->available.count() < space->total.count() / 2 ||
         space->files_left < space->files / 2;
}

// The bound that ended the container replaces one that it only met before.
void DiskWatch::Note(const DiskFull& full) {
  const std::lock_guard lock(mutex_);
  if (!met_ || full.killed) met_ = full;
}

}  // namespace mlprof::server::docker
