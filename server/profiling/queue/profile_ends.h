// Records how profiles end, or that they are queued again, and tells whoever watches. Thread-safe.
#pragma once

#include "common/domain/profile.h"
#include "common/result/result.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"
#include "server/storage/profile_repository.h"

namespace mlprof::server {

class ArtifactStore;
class ControllerMetrics;

/// A whole record that is not written yet.
struct UnrecordedEnd {
  Profile profile;      // finished, or queued again
  ProfileState stored;  // the state that the repository is thought to hold
};

class ProfileEnds {
 public:
  ProfileEnds(ProfileRepository& profiles, ArtifactStore& artifacts, EventHub& events,
              LiveProgress& live, ControllerMetrics& metrics)
      : profiles_(profiles),
        artifacts_(artifacts),
        events_(events),
        live_(live),
        metrics_(metrics) {}

  /// kConflict where another state is stored, kNotFound where the profile was deleted.
  Status Record(const UnrecordedEnd& end);
  /// The same whatever unfinished state is stored, and nothing where the profile was finished or
  /// deleted by somebody else. An error is the storage's: the same call, later, goes on from there.
  Status Settle(UnrecordedEnd& end);

 private:
  Status Write(const UnrecordedEnd& end);
  void Tell(const Profile& profile);
  void Forget(const std::string& profile_id);

  ProfileRepository& profiles_;
  ArtifactStore& artifacts_;
  EventHub& events_;
  LiveProgress& live_;
  ControllerMetrics& metrics_;
};

}  // namespace mlprof::server
