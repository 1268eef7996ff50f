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

}  // namespace mlprof::server
