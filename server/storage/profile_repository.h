// Profiles and all they leave behind: phases, trials, series, rows, logs, events; their artifacts
// have rows of their own (artifact_rows.h). Every method is one transaction on the single writer
// connection (or a read on a read-only one). Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/sample.h"
#include "common/domain/series.h"
#include "common/domain/trial.h"
#include "common/result/result.h"
#include "common/units/bytes.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/page.h"

namespace mlprof::server {

class Database;

struct ProfileFilter {
  std::optional<ProfileState> state;
  std::string model_id = {};  // "": any; else exactly "name:version"
  std::string name = {};      // "": any; else all runs of that name
};

/// A finished phase, as the record of it is committed. Finished() reads the time of the last one;
/// the rest is for whoever looks into the database of a run that went wrong.
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
  std::string data;  // JSON on one line

  Bytes size() const { return Bytes(static_cast<std::int64_t>(data.size())); }
};

/// How much is read at once. A page ends before the event that would pass either, but it has one.
struct EventLimit {
  std::size_t count = 64;
  Bytes bytes = KiB(128);
};

/// Of all series of a profile together.
struct PointCount {
  std::int64_t measured = 0;
  std::int64_t kept = 0;  // fewer where they were thinned out (server/retention)
};

/// What one that is over takes.
struct FinishedProfile {
  std::string id;
  std::string workspace;
  std::string name;
  Timestamp finished;
  Bytes samples;  // its series, as they are stored
  PointCount points;
  std::int64_t largest_series = 0;  // points kept of the one with the most, over all containers
  std::int64_t most_parts = 0;      // containers in which one of its series was read
};

/// Where the events of a profile end.
struct EventMark {
  std::int64_t id = 0;
  std::string type;
};

struct CreatedProfile {
  Profile profile;
  bool replayed = false;  // the idempotency key was known: this is the profile it made
};

class ProfileRepository {
 public:
  explicit ProfileRepository(Database& database);

  /// Gives the profile an id where it has none. kConflict when the name exists in the workspace
  /// and `allow_more_runs` is false; kInvalidArgument for a source that is not there; kKeyReused.
  Result<CreatedProfile> Create(const Profile& profile, const IdempotencyKey& key,
                                bool allow_more_runs);
  /// What Create made under this key; none for a new key. kKeyReused.
  Result<std::optional<Profile>> MadeBefore(const std::string& workspace,
                                            const IdempotencyKey& key);
  /// By name (its newest run) or by id.
  Result<Profile> Get(const std::string& workspace, const std::string& name_or_id);
  Result<Page<Profile>> List(const std::string& workspace, const ProfileFilter& filter,
                             const PageRequest& page);
  /// kConflict when it is not finished. Removes everything the profile left; gives the digests of
  /// its artifacts, whose content may be nobody's now.
  Result<std::vector<std::string>> Delete(const std::string& workspace,
                                          const std::string& name_or_id);

  /// Writes every mutable field of the profile if its stored state still is `expected`; else
  /// kConflict.
  Status Update(const Profile& profile, ProfileState expected);
  /// The same, with a phase record in the same transaction.
  Status FinishPhase(const Profile& profile, ProfileState expected, const PhaseRecord& phase);

  /// Across workspaces: queued ones oldest first; those neither queued nor finished.
  Result<std::vector<Profile>> Queued();
  Result<std::vector<Profile>> Interrupted();
  Result<std::int64_t> CountQueued();
  /// Across workspaces, oldest first.
  Result<std::vector<FinishedProfile>> Finished();
  /// What the deletion of one frees, about.
  Result<Bytes> SizeOf(const std::string& profile_id);

  /// kConflict where there is one of that number.
  Status AddTrial(const std::string& profile_id, const Trial& trial);
  /// By number.
  Result<std::vector<Trial>> Trials(const std::string& profile_id);
  /// Appends what was read of one container (series_codec.h).
  Status AddSeries(const std::string& profile_id, std::span<const Series> all);
  /// A part for each container and series, in the order they were added.
  Result<std::vector<Series>> SeriesParts(const std::string& profile_id);
  /// Of a profile from before there were series: they are made of these.
  Result<std::vector<Sample>> FormerSamples(const std::string& profile_id);
  Result<PointCount> CountPoints(const std::string& profile_id);
  /// Replaces the points of each series of a finished profile by those that `thin` gives, which is
  /// called within the transaction; `former` are the series made of its FormerSamples, whose place
  /// they take. kConflict where it is not finished.
  Status ThinSeries(const std::string& profile_id, std::span<const Series> former,
                    const std::function<std::vector<SeriesPoint>(const Series&)>& thin);
  /// In place of what was saved before.
  Status SaveRows(const std::string& profile_id, std::span<const RowRecord> rows);
  Result<std::vector<RowRecord>> Rows(const std::string& profile_id);
  /// Kept to the last 4 MiB a profile.
  Status AppendLog(const std::string& profile_id, std::string_view text);
  Result<std::string> Log(const std::string& profile_id);
  /// Of type "log" the last 20,000 ids are kept, of the others all.
  Status AddEvent(const std::string& profile_id, const StoredEvent& event);
  /// The first page of those after `id`, oldest first.
  Result<std::vector<StoredEvent>> EventsAfter(const std::string& profile_id, std::int64_t id,
                                               const EventLimit& limit = {});
  Result<std::optional<EventMark>> NewestEvent(const std::string& profile_id);

  /// What a run that is tried again leaves of its former try: nothing but the events, by whose ids
  /// clients resume. Gives the digests of its artifacts, as Delete() does.
  Result<std::vector<std::string>> ClearMeasured(const std::string& profile_id);

 private:
  Database& database_;
};

}  // namespace mlprof::server
