#include "server/storage/profile_repository.h"

#include "server/storage/artifact_rows.h"
#include "server/storage/database.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/names.h"
#include "server/storage/page.h"
#include "server/storage/profile_document.h"
#include "server/storage/profile_rows.h"
#include "server/storage/random_id.h"
#include "server/storage/row_checksum.h"
#include "server/storage/source_rows.h"
#include "server/storage/statement.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

Status InsertProfile(Connection& connection, const Profile& profile) {
  MLPROF_TRY(Statement(connection, R"sql(
    INSERT INTO profiles
      (id, workspace, name, state, dataset_id, created_unix_ms, document, checksum)
    VALUES (:id, :workspace, :name, :state, :dataset_id, :created, :document,
            row_checksum(:id, :workspace, :name, :state, :dataset_id, :created, :document)))sql")
                 .Bind(":id", profile.id)
                 .Bind(":workspace", profile.workspace)
                 .Bind(":name", profile.request.name)
                 .Bind(":state", Name(profile.state))
                 .Bind(":dataset_id", profile.request.input_dataset_id)
                 .Bind(":created", profile.created)
                 .Bind(":document", ProfileDocument(profile))
                 .Run());
  for (const std::string& model_id : profile.request.model_ids) {
    MLPROF_TRY(Statement(connection, R"sql(
      INSERT OR IGNORE INTO profile_models (profile_id, model_id)
      VALUES (:profile_id, :model_id))sql")
                   .Bind(":profile_id", profile.id)
                   .Bind(":model_id", model_id)
                   .Run());
  }
  return {};
}

Result<bool> NameTaken(Connection& connection, const Profile& profile) {
  Statement row(connection, "SELECT 1 FROM profiles WHERE workspace = :workspace AND name = :name");
  return row.Bind(":workspace", profile.workspace).Bind(":name", profile.request.name).Step();
}

Result<std::optional<Profile>> FindMadeBefore(Connection& connection, const std::string& workspace,
                                              const IdempotencyKey& key) {
  MLPROF_LET(known, FindKey(connection, workspace, key));
  if (!known) return std::nullopt;
  auto earlier = FindProfile(connection, workspace, *known);
  if (earlier && !*earlier) return Fail(NoSuchProfile(*known));
  return earlier;
}

Result<CreatedProfile> CreateIn(Connection& connection, Profile profile, const IdempotencyKey& key,
                                bool allow_more_runs) {
  MLPROF_TRY(EnsureWorkspace(connection, profile.workspace));
  MLPROF_LET(before, FindMadeBefore(connection, profile.workspace, key));
  if (before) return CreatedProfile{std::move(*before), true};
  MLPROF_TRY(AddProfile(connection, profile, allow_more_runs));
  MLPROF_TRY(SaveKey(connection, profile.workspace, key, "profile", profile.id));
  return CreatedProfile{std::move(profile), false};
}

// Updates only a row that agrees with its checksum: a damaged one would be given a new checksum,
// and pass for intact.
Status UpdateIn(Connection& connection, const Profile& profile, ProfileState expected) {
  MLPROF_TRY(Statement(connection, R"sql(
    UPDATE profiles SET state = :state, document = :document,
      checksum = row_checksum(id, workspace, name, :state, dataset_id, created_unix_ms, :document)
    WHERE id = :id AND state = :expected
      AND checksum = row_checksum(id, workspace, name, state, dataset_id, created_unix_ms,
                                  document))sql")
                 .Bind(":state", Name(profile.state))
                 .Bind(":document", ProfileDocument(profile))
                 .Bind(":id", profile.id)
                 .Bind(":expected", Name(expected))
                 .Run());
  if (connection.Changes() > 0) return {};
  Statement row(connection, "SELECT state FROM profiles WHERE id = :id");
  const Result<bool> found = row.Bind(":id", profile.id).Step();
  if (!found) return Fail(found.error());
  if (!*found) return Fail(NoSuchProfile(profile.id));
  if (row.Text(0) == Name(expected)) return Fail(DamagedRow("the profile " + profile.id));
  return Fail(Conflict("the profile is " + row.Text(0) + ", not " + std::string(Name(expected))));
}

Result<std::vector<Profile>> ReadProfiles(Connection& connection, const char* sql) {
  Statement rows(connection, sql);
  std::vector<Profile> profiles;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return profiles;
    MLPROF_LET(profile, ReadProfileRow(rows));
    profiles.push_back(std::move(profile));
  }
}

// A comparison is nothing without a profile of it.
Status ForgetEmptyComparisons(Connection& connection) {
  MLPROF_TRY(Statement(connection, R"sql(
    DELETE FROM comparisons WHERE NOT EXISTS (
      SELECT 1 FROM comparison_variants JOIN profiles ON profiles.id = profile_id
      WHERE comparison_id = comparisons.id))sql")
                 .Run());
  return Statement(connection, R"sql(
           DELETE FROM idempotency_keys
           WHERE kind = 'comparison' AND resource_id NOT IN (SELECT id FROM comparisons))sql")
      .Run();
}

}  // namespace

Status AddProfile(Connection& connection, const Profile& profile, bool allow_more_runs) {
  const Result<bool> taken = NameTaken(connection, profile);
  if (!taken) return Fail(taken.error());
  if (*taken && !allow_more_runs) {
    return Fail(Conflict("a profile named \"" + profile.request.name + "\" exists"));
  }
  MLPROF_TRY(CheckSourceExists(connection, profile.workspace, profile.request.inference_config));
  return InsertProfile(connection, profile);
}

ProfileRepository::ProfileRepository(Database& database) : database_(database) {}

Result<std::optional<Profile>> ProfileRepository::MadeBefore(const std::string& workspace,
                                                             const IdempotencyKey& key) {
  return database_.Read(
      [&](Connection& connection) { return FindMadeBefore(connection, workspace, key); });
}

Result<CreatedProfile> ProfileRepository::Create(const Profile& profile, const IdempotencyKey& key,
                                                 bool allow_more_runs) {
  if (!IsValidName(profile.request.name)) {
    return Fail(Error(ErrorCode::kInvalidArgument, "the profile's name cannot be one",
                      {{"/name", "letters, digits, '-', '_' and '.', up to 255"}}));
  }
  Profile made = profile;
  if (made.id.empty()) made.id = RandomId();
  return database_.Write([&](Connection& connection) {
    return CreateIn(connection, std::move(made), key, allow_more_runs);
  });
}

Result<Profile> ProfileRepository::Get(const std::string& workspace,
                                       const std::string& name_or_id) {
  return database_.Read([&](Connection& connection) -> Result<Profile> {
    MLPROF_LET(profile, FindProfile(connection, workspace, name_or_id));
    if (!profile) return Fail(NoSuchProfile(name_or_id));
    return std::move(*profile);
  });
}

Result<Page<Profile>> ProfileRepository::List(const std::string& workspace,
                                              const ProfileFilter& filter,
                                              const PageRequest& page) {
  MLPROF_LET(before, SequenceBefore(page));
  return database_.Read([&](Connection& connection) -> Result<Page<Profile>> {
    Statement rows(connection, R"sql(
      SELECT document, id, workspace, state,
             checksum = row_checksum(id, workspace, name, state, dataset_id, created_unix_ms,
                                     document),
             sequence
      FROM profiles
      WHERE workspace = :workspace AND sequence < :before
        AND (:state = '' OR state = :state) AND (:name = '' OR name = :name)
        AND (:model_id = '' OR EXISTS (SELECT 1 FROM profile_models
                                       WHERE profile_id = profiles.id AND model_id = :model_id))
      ORDER BY sequence DESC LIMIT :limit)sql");
    rows.Bind(":workspace", workspace)
        .Bind(":before", before)
        .Bind(":state", filter.state ? Name(*filter.state) : "")
        .Bind(":model_id", filter.model_id)
        .Bind(":name", filter.name)
        .Bind(":limit", page.top + 1);
    PageOf<Profile> profiles(page.top);
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row || !profiles.Takes(rows.Size(0))) return profiles.Take();
      MLPROF_LET(profile, ReadProfileRow(rows));
      profiles.Add(std::move(profile), rows.Int(5));
    }
  });
}

Result<std::vector<std::string>> ProfileRepository::Delete(const std::string& workspace,
                                                           const std::string& name_or_id) {
  return database_.Write([&](Connection& connection) -> Result<std::vector<std::string>> {
    MLPROF_LET(profile, FindProfile(connection, workspace, name_or_id));
    if (!profile) return Fail(NoSuchProfile(name_or_id));
    if (!IsFinished(profile->state)) {
      return Fail(
          Conflict("the profile is " + std::string(Name(profile->state)) + "; cancel it first"));
    }
    const std::string& id = profile->id;
    MLPROF_TRY(ForgetKeys(connection, workspace, "profile", id));
    auto artifacts = DeleteArtifactsOf(connection, id);
    if (!artifacts) return artifacts;
    MLPROF_TRY(Statement(connection, "DELETE FROM profiles WHERE id = :id").Bind(":id", id).Run());
    MLPROF_TRY(ForgetEmptyComparisons(connection));
    return artifacts;
  });
}

Status ProfileRepository::Update(const Profile& profile, ProfileState expected) {
  return database_.Write(
      [&](Connection& connection) { return UpdateIn(connection, profile, expected); });
}

Status ProfileRepository::FinishPhase(const Profile& profile, ProfileState expected,
                                      const PhaseRecord& phase) {
  return database_.Write([&](Connection& connection) -> Status {
    MLPROF_TRY(UpdateIn(connection, profile, expected));
    return Statement(connection, R"sql(
             INSERT INTO profile_phases
               (profile_id, name, started_unix_ms, finished_unix_ms, outcome, checksum)
             VALUES (:profile_id, :name, :started, :finished, :outcome,
                     row_checksum(:profile_id, :name, :started, :finished, :outcome)))sql")
        .Bind(":profile_id", profile.id)
        .Bind(":name", phase.name)
        .Bind(":started", phase.started)
        .Bind(":finished", phase.finished)
        .Bind(":outcome", phase.outcome)
        .Run();
  });
}

Result<std::vector<Profile>> ProfileRepository::Queued() {
  return database_.Read([](Connection& connection) {
    return ReadProfiles(connection, R"sql(
      SELECT document, id, workspace, state,
             checksum = row_checksum(id, workspace, name, state, dataset_id, created_unix_ms,
                                     document)
      FROM profiles
      WHERE state = 'Queued' ORDER BY sequence)sql");
  });
}

Result<std::vector<Profile>> ProfileRepository::Interrupted() {
  return database_.Read([](Connection& connection) {
    return ReadProfiles(connection, R"sql(
      SELECT document, id, workspace, state,
             checksum = row_checksum(id, workspace, name, state, dataset_id, created_unix_ms,
                                     document)
      FROM profiles
      WHERE state IN ('Preparing', 'Starting', 'Profiling', 'Verifying') ORDER BY sequence)sql");
  });
}

Result<std::int64_t> ProfileRepository::CountQueued() {
  return database_.Read([](Connection& connection) -> Result<std::int64_t> {
    Statement row(connection, "SELECT count(*) FROM profiles WHERE state = 'Queued'");
    const Result<bool> found = row.Step();
    if (!found) return Fail(found.error());
    return row.Int(0);
  });
}

}  // namespace mlprof::server
