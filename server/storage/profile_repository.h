// Profiles and all they leave behind: phases, trials, samples, rows, logs, events. Every method is
// one transaction on the single writer connection (or a read on a read-only one). Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/sample.h"
#include "common/domain/trial.h"
#include "common/json/json.h"
#include "common/result/result.h"
#include "server/storage/idempotency.h"
#include "server/storage/page.h"

namespace mlprof {

class Database;

struct ProfileFilter {
  std::optional<ProfileState> state;
  std::string model_id;   // "": any; else exactly "name:version"
  std::string name = {};  // "": any; else all runs of that name
};

/// A finished phase, as the record of it was committed.
struct PhaseRecord {
  std::string name;
  Timestamp started;
  Timestamp finished;
  std::string outcome;  // "done", or why it ended
};

/// An event that outlives the server: phase, trial, log and done.
struct StoredEvent {
  std::int64_t id = 0;  // rises within its profile, gaps allowed
  std::string type;
  Json data;
};

struct CreatedProfile {
  Profile profile;
  bool replayed = false;  // the idempotency key was known: this is the profile it made
};

class ProfileRepository {
 public:
  explicit ProfileRepository(Database& database);

  /// Gives the profile an id where it has none. kConflict when the name exists in the workspace
  /// and `allow_more_runs` is false; kKeyReused.
  Result<CreatedProfile> Create(const Profile& profile, const IdempotencyKey& key,
                                bool allow_more_runs);
  /// What Create made under this key; none for a new key. kKeyReused.
  Result<std::optional<Profile>> MadeBefore(const std::string& workspace,
                                            const IdempotencyKey& key);
  /// By name (its newest run) or by id.
  Result<Profile> Get(const std::string& workspace, const std::string& name_or_id);
  Result<Page<Profile>> List(const std::string& workspace, const ProfileFilter& filter,
                             const PageRequest& page);
  /// kConflict when it is not finished. Removes everything the profile left.
  Status Delete(const std::string& workspace, const std::string& name_or_id);

  /// Writes every mutable field of the profile if its stored state still is `expected`; else
  /// kConflict.
  Status Update(const Profile& profile, ProfileState expected);
  /// The same, with a phase record in the same transaction.
  Status FinishPhase(const Profile& profile, ProfileState expected, const PhaseRecord& phase);

  /// Across workspaces: queued ones oldest first; those neither queued nor finished.
  Result<std::vector<Profile>> Queued();
  Result<std::vector<Profile>> Interrupted();
  Result<std::int64_t> CountQueued();

  Result<std::vector<PhaseRecord>> Phases(const std::string& profile_id);
  /// `latencies_us`: every exact latency of the trial, 4 bytes each.
  Status AddTrial(const std::string& profile_id, const Trial& trial,
                  std::span<const std::uint32_t> latencies_us);
  Result<std::vector<Trial>> Trials(const std::string& profile_id);
  /// Microseconds, in the order they were added; kNotFound for an unknown trial.
  Result<std::vector<std::uint32_t>> Latencies(const std::string& profile_id, int trial_number);
  /// Appends a batch as one compact blob (sample_codec.h).
  Status AddSamples(const std::string& profile_id, std::span<const Sample> samples);
  Result<std::vector<Sample>> Samples(const std::string& profile_id);
  /// In place of what was saved before.
  Status SaveRows(const std::string& profile_id, std::span<const RowRecord> rows);
  Result<std::vector<RowRecord>> Rows(const std::string& profile_id);
  /// Kept to the last 4 MiB a profile.
  Status AppendLog(const std::string& profile_id, std::string_view text);
  Result<std::string> Log(const std::string& profile_id);
  /// Of type "log" the last 20,000 ids are kept, of the others all.
  Status AddEvent(const std::string& profile_id, const StoredEvent& event);
  Result<std::vector<StoredEvent>> EventsAfter(const std::string& profile_id, std::int64_t id);

  /// What a run that is tried again leaves of its former try: nothing but the events, by whose ids
  /// clients resume.
  Status ClearMeasured(const std::string& profile_id);

 private:
  Database& database_;
};

}  // namespace mlprof
