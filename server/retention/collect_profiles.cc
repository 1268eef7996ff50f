#include <algorithm>
#include <map>

#include "server/analysis/series.h"
#include "server/metrics/controller_metrics.h"
#include "server/retention/collectors.h"

namespace mlprof::server {

void CollectProfiles(const RetentionServices& services, const Sweep& sweep, Collection& found) {
  if (!sweep.profiles_older_than) return;
  const auto profiles = services.profiles.Finished();
  if (!profiles) {
    found.notes.push_back("profiles stay as they are: " + profiles.error().message());
    return;
  }
  const auto age = *sweep.profiles_older_than;
  for (const FinishedProfile& profile : *profiles) {
    if (profile.finished >= sweep.now - age) continue;
    if (!MayGoOn(sweep, "profiles", found)) return;
    // The list has the time at which its last phase ended. The profile itself may have ended long
    // after: it waited for its turn again, or failed.
    const auto whole = services.profiles.Get(profile.workspace, profile.id);
    if (whole && whole->finished && *whole->finished >= sweep.now - age) continue;
    const auto size = services.profiles.SizeOf(profile.id);
    Status gone = size ? Status() : Fail(size.error());
    if (gone && !whole) gone = Fail(whole.error());
    if (gone && !sweep.dry_run) gone = services.delete_profile(profile.workspace, profile.id);
    if (!gone) {
      found.notes.push_back("the profile " + profile.name + " (" + profile.id +
                            ") stays: " + gone.error().message());
      continue;
    }
    found.items.push_back({Holds::kProfile, profile.id, *size, Fate::kRemoved,
                           profile.name + " of workspace " + profile.workspace +
                               " ended more than " + AgeText(age) + " ago"});
  }
}

namespace {

// What remains of a series without points takes about so much: how many there were.
constexpr Bytes kDropped{16};

// Each part of a series keeps two points at least.
std::int64_t MostPoints(const FinishedProfile& profile) {
  return std::max(static_cast<std::int64_t>(kThinnedPoints), 2 * profile.most_parts);
}

bool IsThin(const FinishedProfile& profile) {
  return profile.largest_series <= MostPoints(profile);
}

// The share of its size that a profile keeps, about: its series are not equally long, and a point
// takes some more bytes where its neighbours are gone.
double ThinnedShare(const FinishedProfile& profile) {
  return std::min(
      1.0, static_cast<double>(MostPoints(profile)) / static_cast<double>(profile.largest_series));
}

// Leaves at most `most` points of each series, shared among its parts: there is one for each
// container.
Status ThinProfile(const RetentionServices& services, const FinishedProfile& profile,
                   std::size_t most) {
  MLPROF_LET(parts, services.profiles.SeriesParts(profile.id));
  MLPROF_LET(samples, services.profiles.FormerSamples(profile.id));
  const std::vector<Series> former = MakeSeries(samples);
  std::map<std::string, std::size_t> parts_of;
  for (const Series& part : parts) ++parts_of[part.name];
  for (const Series& part : former) ++parts_of[part.name];
  return services.profiles.ThinSeries(
      profile.id, former, [&](const Series& part) -> std::vector<SeriesPoint> {
        if (most == 0) return {};
        return Thin(part.points, std::max<std::size_t>(2, most / parts_of[part.name]));
      });
}

// Whether the profile was deleted a moment ago. A dry run deletes none, so it is asked of what was
// found, not of the database.
bool Goes(const Collection& found, const std::string& profile_id) {
  return std::any_of(found.items.begin(), found.items.end(), [&](const Collected& item) {
    return item.kind == Holds::kProfile && item.id == profile_id;
  });
}

// The samples of each profile that has some. With `thin_stay` those that are thin already count for
// the size and stay.
std::vector<Holding> Holdings(const std::vector<FinishedProfile>& profiles, bool thin_stay) {
  std::vector<Holding> holdings;
  for (const FinishedProfile& profile : profiles) {
    if (profile.points.kept == 0) continue;
    holdings.push_back(
        {profile.id, profile.samples, profile.finished, thin_stay && IsThin(profile)});
  }
  return holdings;
}

class SampleCollector {
 public:
  SampleCollector(const RetentionServices& services, const Sweep& sweep, Collection& found,
                  std::vector<FinishedProfile>& profiles)
      : services_(services), sweep_(sweep), found_(found) {
    for (FinishedProfile& profile : profiles) by_id_[profile.id] = &profile;
  }

  /// What it becomes and how much it takes then.
  void Reduce(const Leaving& leaving, Fate fate) {
    FinishedProfile& profile = *by_id_.at(leaving.what.id);
    const bool all = fate == Fate::kRemoved;
    const double share = all ? 0 : ThinnedShare(profile);
    const Bytes then = all ? kDropped : Scale(profile.samples, share);
    if (!sweep_.dry_run) {
      const Status done = ThinProfile(services_, profile, all ? 0 : kThinnedPoints);
      if (!done) {
        found_.notes.push_back("the samples of the profile " + profile.name + " (" + profile.id +
                               ") stay: " + done.error().message());
        return;
      }
    }
    found_.items.push_back(
        {Holds::kSamples, profile.id, profile.samples - then, fate, leaving.why});
    profile.points.kept =
        static_cast<std::int64_t>(static_cast<double>(profile.points.kept) * share);
    profile.largest_series = std::min(profile.largest_series, MostPoints(profile));
    profile.samples = then;
  }

 private:
  const RetentionServices& services_;
  const Sweep& sweep_;
  Collection& found_;
  std::map<std::string, FinishedProfile*> by_id_;
};

}  // namespace

void CollectSamples(const RetentionServices& services, const RetentionLimits& limits,
                    const Sweep& sweep, Collection& found) {
  auto profiles = services.profiles.Finished();
  if (!profiles) {
    found.notes.push_back("samples stay as they are: " + profiles.error().message());
    return;
  }
  std::erase_if(*profiles, [&](const FinishedProfile& profile) { return Goes(found, profile.id); });
  SampleCollector collector(services, sweep, found, *profiles);
  const RetentionLimits by_age{limits.age, std::nullopt};
  const RetentionLimits by_size{std::nullopt, limits.size};
  // Samples are thinned by both limits first; only what is still too much is dropped after.
  for (const RetentionLimits& of : {by_age, by_size}) {
    for (const Leaving& old : ChooseLeaving(Holdings(*profiles, true), of, sweep.now)) {
      if (!MayGoOn(sweep, "samples", found)) return;
      collector.Reduce(old, Fate::kThinned);
    }
  }
  for (const Leaving& oldest : ChooseLeaving(Holdings(*profiles, false), by_size, sweep.now)) {
    if (!MayGoOn(sweep, "samples", found)) return;
    collector.Reduce(oldest, Fate::kRemoved);
  }
  Bytes stored;
  for (const FinishedProfile& profile : *profiles) stored += profile.samples;
  if (!sweep.dry_run) services.metrics.SetStoredBytes("samples", stored);
}

}  // namespace mlprof::server
