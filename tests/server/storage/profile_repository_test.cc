#include "server/storage/profile_repository.h"

#include <gtest/gtest.h>

#include "common/json/domain_json.h"
#include "server/storage/database.h"
#include "server/storage/statement.h"
#include "tests/server/storage/example_profile.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

class ProfileRepositoryTest : public testing::Test {
 protected:
  Profile Create(const std::string& name) {
    return profiles_.Create(ExampleProfile(name), {}, true).value().profile;
  }
  Profile Finish(Profile profile) {
    profile.state = ProfileState::kSucceeded;
    EXPECT_TRUE(profiles_.Update(profile, ProfileState::kQueued));
    return profile;
  }
  /// The rows of all phases, with their length in milliseconds and whether their checksums are
  /// right.
  std::string StoredPhases() {
    return database_
        ->Read([](Connection& connection) -> Result<std::string> {
          Statement rows(connection, R"sql(
            SELECT coalesce(group_concat(
              profile_id || ' ' || name || ' ' || (finished_unix_ms - started_unix_ms) || ' ' ||
              outcome || iif(checksum = row_checksum(profile_id, name, started_unix_ms,
                                                     finished_unix_ms, outcome),
                             ' intact', ' damaged')), '') FROM profile_phases)sql");
          MLPROF_TRY(rows.Step());
          return rows.Text(0);
        })
        .value();
  }
  void Reopen() {
    database_.reset();
    database_ = Database::Open(folder_ / "mlprof.db").value();
  }

  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = Database::Open(folder_ / "mlprof.db").value();
  ProfileRepository profiles_{*database_};
};

TEST_F(ProfileRepositoryTest, GivesBackAllOfAProfile) {
  Profile profile = ExampleProfile("p1");
  profile.started = profile.created + std::chrono::seconds(1);
  profile.progress = {"search", 0.4, "half way", 12.5};
  profile.recommendation = Recommendation{};
  profile.recommendation->requested = {Cores(0.4), MiB(512)};
  profile.recommendation->Set({Cores(0.3), Cores(0.5), "measured"});
  profile.recommendation->Set({MiB(400), MiB(512), "measured"});
  profile.measurements = Measurements{};
  profile.measurements->total_queries = 3;
  profile.measurements->latency_p95_ms = 12.25;
  profile.findings.load.emplace().levels = {{2, 80, 24, 31, 40, 1.5, MiB(300), 0}};
  profile.findings.memory.emplace().bytes_per_request = 1024;
  profile.findings.killing_rows = {4};
  profile.warnings = {{"sharedCores", "two cores", "use more"}};
  profile.error = ProfileError{"OutOfMemory", "it was killed", {"give it more"}, "log"};
  const auto created = profiles_.Create(profile, {}, false);
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_FALSE(created->replayed);
  profile.id = created->profile.id;
  EXPECT_EQ(profile.id.size(), 32u);
  const auto read = profiles_.Get("default", "p1");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->workspace, "default");
  EXPECT_EQ(read->findings, profile.findings);
  EXPECT_EQ(DumpJson(EncodeProfile(*read)), DumpJson(EncodeProfile(profile)));
}

TEST_F(ProfileRepositoryTest, FindsByIdAndByNewestName) {
  const Profile first = Create("p1");
  const Profile second = Create("p1");
  EXPECT_EQ(profiles_.Get("default", "p1")->id, second.id);
  EXPECT_EQ(profiles_.Get("default", first.id)->id, first.id);
  EXPECT_EQ(profiles_.Get("elsewhere", first.id).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(profiles_.Get("default", "p2").error().code(), ErrorCode::kNotFound);
}

TEST_F(ProfileRepositoryTest, RefusesANameThatExists) {
  Create("p1");
  EXPECT_EQ(profiles_.Create(ExampleProfile("p1"), {}, false).error().code(), ErrorCode::kConflict);
  Profile elsewhere = ExampleProfile("p1");
  elsewhere.workspace = "sub/group/name";
  EXPECT_TRUE(profiles_.Create(elsewhere, {}, false));
}

TEST_F(ProfileRepositoryTest, RefusesBadNames) {
  EXPECT_EQ(profiles_.Create(ExampleProfile("../p"), {}, false).error().fields().at(0).pointer,
            "/name");
  Profile elsewhere = ExampleProfile("p");
  elsewhere.workspace = "a/b";
  EXPECT_EQ(profiles_.Create(elsewhere, {}, false).error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(ProfileRepositoryTest, GivesForARepeatedKeyTheProfileItMade) {
  const IdempotencyKey key{"k", "f"};
  const auto first = profiles_.Create(ExampleProfile("p1"), key, false);
  ASSERT_TRUE(first);
  Reopen();
  ProfileRepository again(*database_);
  const auto second = again.Create(ExampleProfile("p1"), key, false);
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_TRUE(second->replayed);
  EXPECT_EQ(second->profile.id, first->profile.id);
  EXPECT_EQ(again.MadeBefore("default", key)->value().id, first->profile.id);
  EXPECT_EQ(*again.MadeBefore("default", {"unused", "f"}), std::nullopt);
  EXPECT_EQ(again.Create(ExampleProfile("p2"), {"k", "other"}, false).error().code(),
            ErrorCode::kKeyReused);
  EXPECT_EQ(again.List("default", {}, {})->value.size(), 1u);
}

TEST_F(ProfileRepositoryTest, DoesNotKeepTheKeyOfARefusedProfile) {
  Create("p1");
  const IdempotencyKey key{"k", "f"};
  ASSERT_FALSE(profiles_.Create(ExampleProfile("p1"), key, false));
  EXPECT_FALSE(profiles_.Create(ExampleProfile("p2"), key, false)->replayed);
}

TEST_F(ProfileRepositoryTest, UpdatesOnlyFromTheExpectedState) {
  Profile profile = Create("p1");
  profile.state = ProfileState::kPreparing;
  ASSERT_TRUE(profiles_.Update(profile, ProfileState::kQueued));
  EXPECT_EQ(profiles_.Update(profile, ProfileState::kQueued).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(profiles_.Get("default", "p1")->state, ProfileState::kPreparing);
  profile.id = "unknown";
  EXPECT_EQ(profiles_.Update(profile, ProfileState::kQueued).error().code(), ErrorCode::kNotFound);
}

TEST_F(ProfileRepositoryTest, FinishesAPhaseWithTheProfileOrNotAtAll) {
  Profile profile = Create("p1");
  const PhaseRecord phase{"prepare", profile.created, profile.created + std::chrono::seconds(2),
                          "done"};
  profile.state = ProfileState::kStarting;
  EXPECT_FALSE(profiles_.FinishPhase(profile, ProfileState::kPreparing, phase));
  EXPECT_EQ(StoredPhases(), "");
  ASSERT_TRUE(profiles_.FinishPhase(profile, ProfileState::kQueued, phase));
  EXPECT_EQ(profiles_.Get("default", "p1")->state, ProfileState::kStarting);
  EXPECT_EQ(StoredPhases(), profile.id + " prepare 2000 done intact");
}

TEST_F(ProfileRepositoryTest, EndsAPageOfLongProfilesEarlyAndSkipsNone) {
  for (int i = 0; i < 5; ++i) {
    Profile profile = ExampleProfile("p" + std::to_string(i));
    profile.request.description = std::string(1'500'000, 'x');
    ASSERT_TRUE(profiles_.Create(profile, {}, false));
  }
  std::string names;
  PageRequest request;
  for (int pages = 0; pages < 3; ++pages) {
    const auto page = profiles_.List("default", {}, request);
    ASSERT_TRUE(page);
    EXPECT_LE(page->value.size(), 2u);
    for (const Profile& profile : page->value) names += profile.request.name;
    EXPECT_EQ(page->next_cursor.has_value(), pages < 2);
    request.cursor = page->next_cursor.value_or("");
  }
  EXPECT_EQ(names, "p4p3p2p1p0");
}

TEST_F(ProfileRepositoryTest, ListsNewestFirstPageByPage) {
  for (int i = 0; i < 5; ++i) Create("p" + std::to_string(i));
  std::string names;
  PageRequest request{.top = 2, .cursor = ""};
  for (;;) {
    const auto page = profiles_.List("default", {}, request);
    ASSERT_TRUE(page);
    for (const Profile& profile : page->value) names += profile.request.name;
    if (!page->next_cursor) break;
    request.cursor = *page->next_cursor;
  }
  EXPECT_EQ(names, "p4p3p2p1p0");
  EXPECT_EQ(profiles_.List("default", {}, {.top = 2, .cursor = "x"}).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST_F(ProfileRepositoryTest, FiltersByStateAndModel) {
  Finish(Create("p1"));
  Create("p2");
  const auto names = [&](const ProfileFilter& filter) {
    std::string all;
    const auto page = profiles_.List("default", filter, {});
    if (!page) return page.error().message();
    for (const Profile& profile : page->value) {
      all += profile.request.name;
    }
    return all;
  };
  EXPECT_EQ(names({.state = ProfileState::kSucceeded, .model_id = ""}), "p1");
  EXPECT_EQ(names({.state = std::nullopt, .model_id = "words:2"}), "p2p1");
  EXPECT_EQ(names({.state = std::nullopt, .model_id = "words:1"}), "");
}

TEST_F(ProfileRepositoryTest, ListsEveryRunOfAName) {
  for (const char* name : {"p", "q", "p"}) {
    ASSERT_TRUE(profiles_.Create(ExampleProfile(name), {}, true));
  }
  ProfileFilter filter;
  filter.name = "p";
  EXPECT_EQ(profiles_.List("default", filter, {})->value.size(), 2u);
}

TEST_F(ProfileRepositoryTest, TellsTheQueuedFromTheInterrupted) {
  Profile running = Create("running");
  running.state = ProfileState::kProfiling;
  ASSERT_TRUE(profiles_.Update(running, ProfileState::kQueued));
  Create("first");
  Create("second");
  Finish(Create("finished"));
  EXPECT_EQ(profiles_.CountQueued().value(), 2);
  const auto queued = profiles_.Queued();
  ASSERT_EQ(queued->size(), 2u);
  EXPECT_EQ(queued->front().request.name, "first");
  const auto interrupted = profiles_.Interrupted();
  ASSERT_EQ(interrupted->size(), 1u);
  EXPECT_EQ(interrupted->front().request.name, "running");
}

TEST_F(ProfileRepositoryTest, DeletesAFinishedProfileWithAllItLeft) {
  const IdempotencyKey key{"k", "f"};
  Profile profile = profiles_.Create(ExampleProfile("p1"), key, false)->profile;
  ASSERT_TRUE(profiles_.AppendLog(profile.id, "text"));
  EXPECT_EQ(profiles_.Delete("default", "p1").error().code(), ErrorCode::kConflict);
  Finish(profile);
  ASSERT_TRUE(profiles_.Delete("default", "p1"));
  EXPECT_EQ(profiles_.Log(profile.id).value(), "");
  EXPECT_EQ(profiles_.Delete("default", "p1").error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(profiles_.Create(ExampleProfile("p1"), key, false)->replayed);
}

}  // namespace
}  // namespace mlprof::server
