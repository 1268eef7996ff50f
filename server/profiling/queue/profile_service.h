// Profiles as their users see them: create, watch, cancel, apply. Thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/domain/artifact.h"
#include "common/domain/profile.h"
#include "common/domain/series.h"
#include "common/domain/trial.h"
#include "common/result/result.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/page.h"
#include "server/storage/profile_repository.h"

namespace mlprof::server {

class ArtifactStore;
class ModelRegistry;
class DatasetRegistry;
class SourceRegistry;
class ProfileQueue;
class EventHub;
class LiveProgress;
namespace devices {
class DevicePool;
}

/// Whose manners a new profile is made by.
enum class CreationRules {
  kNative,   // a name is used once, and a full queue refuses
  kAzureV1,  // a name used before gets another run, and the queue takes ten times as many
};

class ProfileService {
 public:
  ProfileService(ProfileRepository& profiles, ModelRegistry& models, DatasetRegistry& datasets,
                 SourceRegistry& sources, ArtifactStore& artifacts, ProfileQueue& queue,
                 EventHub& events, LiveProgress& live, std::string runtime_name,
                 devices::DevicePool* gpus = nullptr, devices::DevicePool* tpus = nullptr);

  /// Resolves ids, stores and queues. kInvalidArgument with pointers, kNotFound is
  /// never given (an unknown id in the body is a bad field), kConflict, kKeyReused,
  /// kResourceExhausted, kNotAvailable for what later versions bring.
  Result<CreatedProfile> Create(const std::string& workspace, const ProfileRequest& request,
                                const IdempotencyKey& key,
                                CreationRules rules = CreationRules::kNative);
  /// The profile that Create() would store and queue. Errors as its, but for those of names, keys
  /// and a full queue.
  Result<Profile> Make(const std::string& workspace, const ProfileRequest& request);
  /// Profiles were stored by somebody else, and wait.
  void Wake();
  /// The same question once more, as the newest run of its name; `when_quiet` in place of the
  /// question's own. kConflict while it is unfinished; else as Create().
  Result<CreatedProfile> Rerun(const std::string& workspace, const std::string& name_or_id,
                               std::optional<bool> when_quiet, const IdempotencyKey& key);
  /// kResourceExhausted where the queue has no room for so many more.
  Status CheckRoom(CreationRules rules, std::int64_t more = 1);
  /// What Create() made with this key, if anything.
  Result<std::optional<Profile>> MadeBefore(const std::string& workspace,
                                            const IdempotencyKey& key);
  /// The ids in a request, bad in other fields, that name nothing.
  Result<std::vector<FieldError>> UnknownIds(const std::string& workspace,
                                             const ProfileRequest& request);
  /// With live progress laid over the stored record.
  Result<Profile> Get(const std::string& workspace, const std::string& name_or_id);
  Result<Page<Profile>> List(const std::string& workspace, const ProfileFilter& filter,
                             const PageRequest& page);
  /// kConflict when finished. Gives the profile as it is now; it ends soon after.
  Result<Profile> Cancel(const std::string& workspace, const std::string& name_or_id);
  Status Delete(const std::string& workspace, const std::string& name_or_id);
  /// Tags every model of the profile. kConflict without a recommendation or while unfinished.
  Result<Profile> Apply(const std::string& workspace, const std::string& name_or_id);

  struct SampleRange {
    std::optional<double> from;  // seconds since startedTime
    std::optional<double> to;
    int max_points = 1000;
  };
  /// Every series that was read of the profile's containers and has points within the range, by
  /// name; extremes are kept.
  Result<std::vector<Series>> Samples(const std::string& workspace, const std::string& name_or_id,
                                      const SampleRange& range);
  /// Fewer are kept where the profile is old (server/retention).
  Result<PointCount> CountPoints(const std::string& workspace, const std::string& name_or_id);
  Result<std::vector<Trial>> Trials(const std::string& workspace, const std::string& name_or_id);
  Result<std::vector<RowRecord>> Rows(const std::string& workspace, const std::string& name_or_id);
  Result<std::string> Logs(const std::string& workspace, const std::string& name_or_id);
  /// Newest first.
  Result<Page<Artifact>> Artifacts(const std::string& workspace, const std::string& name_or_id,
                                   const PageRequest& page);
  /// One of them, and those below: kNotFound where the profile has none of this id.
  Result<Artifact> GetArtifact(const std::string& workspace, const std::string& name_or_id,
                               const std::string& artifact_id);
  /// Where its bytes lie, once they were seen to have their digest.
  Result<std::filesystem::path> ArtifactFile(const Artifact& artifact);
  Status DeleteArtifact(const std::string& workspace, const std::string& name_or_id,
                        const std::string& artifact_id);
  EventHub& events() { return events_; }

 private:
  /// Of a name that is in use.
  enum class MoreRuns { kRefused, kAllowed };

  Result<CreatedProfile> Queue(const std::string& workspace, const ProfileRequest& request,
                               const IdempotencyKey& key, CreationRules rules, MoreRuns more_runs);

  ProfileRepository& profiles_;
  ModelRegistry& models_;
  DatasetRegistry& datasets_;
  SourceRegistry& sources_;
  ArtifactStore& artifacts_;
  ProfileQueue& queue_;
  EventHub& events_;
  LiveProgress& live_;
  std::string runtime_name_;
  devices::DevicePool* gpus_;
  devices::DevicePool* tpus_;
};

}  // namespace mlprof::server
