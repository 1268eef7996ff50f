#include "server/retention/retention.h"

#include <algorithm>
#include <optional>

#include "common/log/log.h"
#include "common/os/tree_walk.h"
#include "server/metrics/controller_metrics.h"
#include "server/registry/content_references.h"
#include "server/retention/collectors.h"
#include "server/storage/database.h"

namespace mlprof::server {
namespace {

// A bound on the walk, far beyond what a data directory holds.
constexpr std::int64_t kMostEntries = 10'000'000;

Bytes SizeOfFile(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? Bytes() : Bytes(static_cast<std::int64_t>(size));
}

// nullopt where there was no time to look at all of it.
std::optional<Bytes> SizeBelow(const std::filesystem::path& folder, const Patience& patience) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error) && !error) return Bytes();
  Bytes size;
  WalkBounds bounds{kMostEntries, patience.deadline};
  bounds.give_up = [&] { return patience.stop.stop_requested(); };
  const auto walk = WalkTree(folder, bounds, [&](const WalkedEntry& entry) {
    if (S_ISREG(entry.status.st_mode)) size += Bytes(entry.status.st_size);
  });
  if (!walk || walk->end != WalkEnd::kComplete) return std::nullopt;
  return size;
}

void Tell(const Collection& found) {
  const auto count = [&](Holds kind) {
    return std::count_if(found.items.begin(), found.items.end(),
                         [&](const Collected& item) { return item.kind == kind; });
  };
  LogInfo("looked at what grows", {{"freed_bytes", found.Freed().count()},
                                   {"images", count(Holds::kImage)},
                                   {"content", count(Holds::kContent)},
                                   {"samples", count(Holds::kSamples)},
                                   {"profiles", count(Holds::kProfile)},
                                   {"notes", found.notes}});
}

}  // namespace

bool MayGoOn(const Sweep& sweep, const char* kind, Collection& found) {
  if (!sweep.patience.stop.stop_requested() && !sweep.patience.deadline.Passed()) return true;
  found.notes.push_back(std::string("more ") + kind + " may go; there was no time left for them");
  return false;
}

// Profiles first: what goes whole need not be thinned.
Result<Collection> Retention::Collect(const Sweep& asked) {
  const std::unique_lock lock(collecting_, std::try_to_lock);
  if (!lock) return Fail(Conflict("what may go is being looked for already; ask again soon"));
  if (stop_.stop_requested()) return Fail(Cancelled("the server is stopping"));
  Sweep sweep = asked;
  sweep.patience.stop = stop_.get_token();
  Collection found;
  CollectProfiles(services_, sweep, found);
  CollectSamples(services_, rules_.samples, sweep, found);
  CollectContent(services_, sweep, found);
  CollectImages(services_, rules_.images, sweep, found);
  if (sweep.dry_run) return found;
  MeasureStored(sweep);
  Tell(found);
  return found;
}

void Retention::MeasureStored(const Sweep& sweep) const {
  const auto& folder = services_.data_directory;
  ControllerMetrics& metrics = services_.metrics;
  const auto files = SizeBelow(folder / "content", sweep.patience);
  const auto trees = SizeBelow(folder / "trees", sweep.patience);
  if (files && trees) metrics.SetStoredBytes("content", *files + *trees);
  const auto quarantine = SizeBelow(folder / "quarantine", sweep.patience);
  if (quarantine) metrics.SetStoredBytes("quarantine", *quarantine);
  metrics.SetStoredBytes("database",
                         SizeOfFile(folder / "mlprof.db") + SizeOfFile(folder / "mlprof.db-wal"));
}

const char* Name(Holds kind) {
  switch (kind) {
    case Holds::kImage: return "image";
    case Holds::kContent: return "content";
    case Holds::kSamples: return "samples";
    case Holds::kProfile: return "profile";
  }
  return "";
}

const char* Name(Fate fate) {
  switch (fate) {
    case Fate::kRemoved: return "removed";
    case Fate::kThinned: return "thinned";
    case Fate::kQuarantined: return "quarantined";
  }
  return "";
}

Bytes Collection::Freed() const {
  Bytes freed;
  for (const Collected& item : items) {
    if (item.fate != Fate::kQuarantined) freed += item.size;
  }
  return freed;
}

void CollectContent(const RetentionServices& services, const Sweep& sweep, Collection& found) {
  if (!MayGoOn(sweep, "content", found)) return;
  const auto orphans = sweep.dry_run ? FindOrphanContent(services.database, services.content)
                                     : QuarantineOrphanContent(services.database, services.content,
                                                               sweep.now, sweep.patience.stop);
  if (!orphans) {
    found.notes.push_back("content stays as it is: " + orphans.error().message());
    return;
  }
  for (const OrphanContent& orphan : *orphans) {
    found.items.push_back(
        {Holds::kContent, orphan.sha256, orphan.size, Fate::kQuarantined, "nothing refers to it"});
  }
}

}  // namespace mlprof::server
