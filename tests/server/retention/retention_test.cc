#include "server/retention/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "common/hash/sha256.h"
#include "server/metrics/controller_metrics.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "tests/fakes/fake_runtime.h"
#include "tests/server/storage/example_profile.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Timestamp kToday{std::chrono::milliseconds(1'790'000'000'000)};
constexpr hours kDay{24};

class RetentionTest : public ::testing::Test {
 protected:
  Profile Create(const std::string& name) {
    return profiles_.Create(ExampleProfile(name), {}, false).value().profile;
  }
  Profile Finished(const std::string& name, hours ago, int points = 0) {
    Profile profile = Create(name);
    const ProfileState before = profile.state;
    profile.state = ProfileState::kSucceeded;
    EXPECT_TRUE(profiles_.FinishPhase(profile, before, {"verify", {}, kToday - ago, "done"}));
    Series series = {"memoryInBytes", "bytes", "agent", {}};
    for (int i = 0; i < points; ++i) {
      series.points.push_back({std::chrono::milliseconds(i), 1.0 * (i % 7)});
    }
    EXPECT_TRUE(profiles_.AddSeries(profile.id, std::vector{series}));
    return profile;
  }
  std::string Orphan(const std::string& bytes) {
    const fs::path file = content_->NewIncomingPath();
    std::ofstream(file) << bytes;
    EXPECT_TRUE(content_->PutFile(file, ContentClaim(*content_, Sha256Hex(bytes))));
    return Sha256Hex(bytes);
  }
  std::size_t Left(const Profile& profile) {
    return static_cast<std::size_t>(profiles_.CountPoints(profile.id)->kept);
  }

  Sweep Look(bool dry_run = false, std::optional<std::chrono::seconds> profiles = {}) {
    return {dry_run, profiles, kToday, Patience(Deadline::After(std::chrono::seconds(30)))};
  }
  // "image removed mlprof-env:a"
  static std::vector<std::string> Told(const Collection& found) {
    std::vector<std::string> lines;
    for (const Collected& item : found.items) {
      lines.push_back(std::string(Name(item.kind)) + " " + Name(item.fate) + " " + item.id);
    }
    return lines;
  }
  Collection Collect(const Sweep& sweep) { return retention_.Collect(sweep).value(); }
  void RulesAre(const RetentionRules& rules) { rules_ = rules; }

  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = Database::Open(folder_ / "mlprof.db").value();
  std::unique_ptr<ContentStore> content_ = ContentStore::Open(folder_.path()).value();
  ProfileRepository profiles_{*database_};
  FakeRuntime runtime_;
  ControllerMetrics metrics_{"1"};
  const RetentionServices services_{runtime_,
                                    *database_,
                                    *content_,
                                    profiles_,
                                    [this](const std::string& workspace, const std::string& id) {
                                      const auto gone = profiles_.Delete(workspace, id);
                                      return gone ? Status() : Fail(gone.error());
                                    },
                                    metrics_,
                                    folder_.path()};
  RetentionRules rules_{{30 * kDay, GiB(20)}, {90 * kDay, GiB(10)}};
  Retention retention_{services_, rules_};
};

TEST_F(RetentionTest, LetsGoOfImagesThatWereNotUsedForLongOrAreTooMuch) {
  runtime_.Keep({"mlprof-env:old", GiB(1), kToday - 31 * kDay});
  runtime_.Keep({"mlprof-env:large", GiB(15), kToday - 2 * kDay});
  runtime_.Keep({"mlprof-env:new", GiB(15), kToday - kDay});
  const Collection found = Collect(Look());
  EXPECT_THAT(Told(found),
              ElementsAre("image removed mlprof-env:old", "image removed mlprof-env:large"));
  EXPECT_EQ(found.Freed(), GiB(16));
  const auto left = runtime_.KeptImages({}, Deadline::After(kDay), {});
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->at(0).id, "mlprof-env:new");
  EXPECT_THAT(metrics_.Text(), HasSubstr("mlprof_stored_bytes{kind=\"images\"} 16106127360"));
}

TEST_F(RetentionTest, KeepsImagesThatAWaitingProfileNeeds) {
  runtime_.Keep({"mlprof-env:old", GiB(30), kToday - 31 * kDay});
  ASSERT_TRUE(database_->Write([](Connection& connection) {
    return connection.Execute(R"sql(
      INSERT INTO sources (workspace, sha256, size_bytes, created_unix_ms, checksum)
      VALUES ('default', 'abc', 1, 1, row_checksum('default', 'abc', 1, 1)))sql");
  }));
  EntryScriptConfig script;
  script.source_id = "sha256:abc";
  Profile waits = ExampleProfile("waits");
  waits.request.inference_config->service = script;
  ASSERT_TRUE(profiles_.Create(waits, {}, false));
  EXPECT_THAT(Collect(Look()).items, IsEmpty());
}

TEST_F(RetentionTest, AnEngineThatDoesNotRespondKeepsNothingElseFromGoing) {
  runtime_.Keep({"mlprof-env:old", GiB(1), kToday - 31 * kDay});
  runtime_.SetUnavailable(true);
  const std::string orphan = Orphan("orphan");
  const Collection found = Collect(Look());
  EXPECT_THAT(Told(found), ElementsAre("content quarantined " + orphan));
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("the engine does not answer")));
  EXPECT_EQ(found.Freed(), Bytes(0));
  runtime_.SetUnavailable(false);
  EXPECT_THAT(Told(Collect(Look())), ElementsAre("image removed mlprof-env:old"));
}

TEST_F(RetentionTest, MovesContentThatNothingRefersToButNotWhatIsClaimed) {
  const std::string orphan = Orphan("orphan");
  const std::string claimed = Orphan("claimed");
  const ContentClaim claim(*content_, claimed);
  EXPECT_THAT(Told(Collect(Look())), ElementsAre("content quarantined " + orphan));
  EXPECT_FALSE(content_->HasFile(orphan));
  EXPECT_TRUE(content_->HasFile(claimed));
}

TEST_F(RetentionTest, ThinsTheSamplesOfOldProfilesOnce) {
  const Profile old = Finished("old", 91 * kDay, 50000);
  const Profile young = Finished("young", 89 * kDay, 50000);
  const Profile few = Finished("few", 91 * kDay, 600);
  EXPECT_THAT(Told(Collect(Look())), ElementsAre("samples thinned " + old.id));
  EXPECT_LE(Left(old), 600u);
  EXPECT_GE(Left(old), 100u);
  EXPECT_EQ(Left(young), 50000u);
  EXPECT_EQ(Left(few), 600u);
  EXPECT_THAT(Collect(Look()).items, IsEmpty());
}

TEST_F(RetentionTest, ThinsTheOldestSamplesFirstWhileAllTakeTooMuch) {
  const Profile old = Finished("old", 3 * kDay, 50000);
  const Profile young = Finished("young", 2 * kDay, 50000);
  const Bytes one = profiles_.Finished()->at(0).samples;
  Retention tight(services_, {{}, {90 * kDay, Scale(one, 1.5)}});
  const auto found = tight.Collect(Look());
  EXPECT_THAT(Told(*found), ElementsAre("samples thinned " + old.id));
  EXPECT_LE(Left(old), 600u);
  EXPECT_EQ(Left(young), 50000u);
}

TEST_F(RetentionTest, DropsSamplesWhereThinOnesStillTakeTooMuch) {
  const Profile old = Finished("old", 3 * kDay, 50000);
  const Profile young = Finished("young", 2 * kDay, 50000);
  Retention tight(services_, {{}, {90 * kDay, Bytes(1)}});
  const auto found = tight.Collect(Look());
  EXPECT_THAT(Told(*found),
              ElementsAre("samples thinned " + old.id, "samples thinned " + young.id,
                          "samples removed " + old.id, "samples removed " + young.id));
  EXPECT_EQ(Left(old), 0u);
  EXPECT_TRUE(profiles_.Get("default", "old"));
  EXPECT_THAT(tight.Collect(Look())->items, IsEmpty());
}

TEST_F(RetentionTest, DeletesOldProfilesOnlyWhereAsked) {
  const Profile old = Finished("old", 100 * kDay, 7000);
  Finished("young", kDay);
  Create("waits");
  EXPECT_THAT(Told(Collect(Look(true))), ElementsAre("samples thinned " + old.id));
  const Collection found = Collect(Look(false, 90 * kDay));
  EXPECT_THAT(Told(found), ElementsAre("profile removed " + old.id));
  EXPECT_EQ(found.items[0].why, "old of workspace default ended more than 90 days ago");
  EXPECT_EQ(profiles_.Get("default", "old").error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(profiles_.Get("default", "young"));
  EXPECT_TRUE(profiles_.Get("default", "waits"));
}

// Its last whole phase may be long over, or there may be none.
TEST_F(RetentionTest, KeepsAProfileThatFailedAMomentAgo) {
  Profile failed = Create("failed");
  failed.state = ProfileState::kFailed;
  failed.finished = kToday;
  ASSERT_TRUE(profiles_.FinishPhase(failed, ProfileState::kQueued,
                                    {"prepare", {}, kToday - 100 * kDay, "done"}));
  EXPECT_THAT(Collect(Look(false, 90 * kDay)).items, IsEmpty());
  EXPECT_TRUE(profiles_.Get("default", "failed"));
}

TEST_F(RetentionTest, ADryRunTellsTheSameAndChangesNothing) {
  runtime_.Keep({"mlprof-env:old", GiB(1), kToday - 31 * kDay});
  const std::string orphan = Orphan("orphan");
  const Profile gone = Finished("gone", 200 * kDay, 50000);
  const Profile thinned = Finished("thinned", 100 * kDay, 50000);
  const Collection would = Collect(Look(true, 150 * kDay));
  EXPECT_TRUE(content_->HasFile(orphan));
  EXPECT_EQ(Left(gone), 50000u);
  EXPECT_EQ(Left(thinned), 50000u);
  EXPECT_EQ(runtime_.KeptImages({}, Deadline::After(kDay), {})->size(), 1u);
  const Collection did = Collect(Look(false, 150 * kDay));
  EXPECT_EQ(Told(would), Told(did));
  EXPECT_EQ(would.items.size(), 4u);
  EXPECT_EQ(would.Freed(), did.Freed());
  EXPECT_THAT(Collect(Look(true, 150 * kDay)).items, IsEmpty());
}

TEST_F(RetentionTest, SaysWhatIsStoredByKind) {
  Finished("p", kDay, 100);
  Orphan("orphan");
  Collect(Look());
  const std::string text = metrics_.Text();
  EXPECT_THAT(text, HasSubstr("mlprof_stored_bytes{kind=\"content\"} 0"));
  EXPECT_THAT(text, HasSubstr("mlprof_stored_bytes{kind=\"quarantine\"} 6"));
  EXPECT_THAT(text, HasSubstr("mlprof_stored_bytes{kind=\"database\"}"));
  EXPECT_THAT(text, HasSubstr("mlprof_stored_bytes{kind=\"samples\"}"));
}

TEST_F(RetentionTest, AStopEndsALookThatWaitsForTheEngineAndLetsNoOtherBegin) {
  runtime_.SetHanging(true);
  auto looking = std::async(std::launch::async, [this] { return retention_.Collect(Look()); });
  retention_.Stop();
  EXPECT_EQ(looking.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  EXPECT_EQ(retention_.Collect(Look()).error().code(), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace mlprof::server
