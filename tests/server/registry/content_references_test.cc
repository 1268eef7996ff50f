#include "server/registry/content_references.h"

#include <gtest/gtest.h>

#include "common/hash/sha256.h"
#include "server/registry/content_upkeep.h"
#include "server/storage/azure_blobs.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

class ContentReferencesTest : public RegistryTest {
 protected:
  Model Register(const std::string& name, const std::string& weights) {
    NewModel model;
    model.workspace = "default";
    model.name = name;
    return models_.Register(model, Upload(TarBuilder().File("model.bin", weights).Build()), {})
        .value();
  }
  std::string Orphan(const std::string& bytes) {
    const fs::path file = content_->NewIncomingPath();
    WriteBytes(file, bytes);
    EXPECT_TRUE(content_->PutFile(file, ContentClaim(*content_, Sha256Hex(bytes))));
    return Sha256Hex(bytes);
  }
  void Change(const char* sql) {
    ASSERT_TRUE(database_->Write([&](Connection& connection) { return connection.Execute(sql); }));
  }
  Status Reconcile() { return ReconcileContent(*database_, *content_, Now()); }
  std::size_t Quarantined() {
    return fs::exists(folder_ / "quarantine") ? FilesUnder("quarantine") : 0;
  }

  /// Steps of the plan by which a statement is run, a line each.
  std::string PlanOf(const std::string& sql) {
    return database_
        ->Read([&](Connection& connection) -> Result<std::string> {
          Statement rows(connection, ("EXPLAIN QUERY PLAN " + sql).c_str());
          std::string plan;
          for (;;) {
            MLPROF_LET(row, rows.Step());
            if (!row) return plan;
            plan += rows.Text(3) + "\n";
          }
        })
        .value();
  }
};

TEST_F(ContentReferencesTest, AreReadByNoIndex) {
  const std::string plan = PlanOf(kReferencesSql);
  for (const char* table : {"models", "datasets", "sources", "profile_artifacts", "captures",
                            "azure_blobs", "azure_blocks"}) {
    EXPECT_NE(plan.find(std::string("SCAN ") + table + "\n"), std::string::npos) << plan;
  }
  EXPECT_EQ(plan.find("INDEX"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("SEARCH"), std::string::npos) << plan;
}

TEST_F(ContentReferencesTest, AStartPutsIntoQuarantineWhatNoRowRefersTo) {
  const Model model = Register("a", "weights");
  const std::string orphan = Orphan("orphan");
  ASSERT_TRUE(Reconcile());
  EXPECT_FALSE(content_->HasFile(orphan));
  EXPECT_EQ(Quarantined(), 1u);
  EXPECT_TRUE(models_.Verified(model, {}));
}

TEST_F(ContentReferencesTest, OrphansAreFoundAndQuarantinedWhileTheServerRuns) {
  const Model model = Register("a", "weights");
  const std::string orphan = Orphan("orphan");
  const auto found = FindOrphanContent(*database_, *content_);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->at(0).sha256, orphan);
  EXPECT_EQ(found->at(0).size, Bytes(6));
  EXPECT_TRUE(content_->HasFile(orphan));
  EXPECT_EQ(QuarantineOrphanContent(*database_, *content_, Now(), {})->size(), 1u);
  EXPECT_FALSE(content_->HasFile(orphan));
  EXPECT_EQ(Quarantined(), 1u);
  EXPECT_TRUE(FindOrphanContent(*database_, *content_)->empty());
  EXPECT_TRUE(models_.Verified(model, {}));
}

TEST_F(ContentReferencesTest, OrphansStayBeforeTheDatabaseHasPassedItsCheck) {
  const std::string orphan = Orphan("orphan");
  database_.reset();
  database_ =
      Database::Open(folder_ / "mlprof.db", {.check_time = std::chrono::milliseconds(0)}).value();
  ASSERT_FALSE(database_->checked());
  EXPECT_EQ(QuarantineOrphanContent(*database_, *content_, Now(), {}).error().code(),
            ErrorCode::kUnavailable);
  EXPECT_TRUE(content_->HasFile(orphan));
}

TEST_F(ContentReferencesTest, AStartTakesBackWhatARestoredDatabaseRefersTo) {
  const Model model = Register("a", "weights");
  Change("CREATE TEMP TABLE kept AS SELECT * FROM models; DELETE FROM models");
  ASSERT_TRUE(Reconcile());
  EXPECT_EQ(Quarantined(), 2u);  // the tar and the one file of its tree
  EXPECT_FALSE(content_->HasFile(model.sha256));
  Change("INSERT INTO models SELECT * FROM kept");
  ASSERT_TRUE(Reconcile());
  EXPECT_TRUE(models_.Verified(model, {}));
  EXPECT_EQ(Content(content_->TreePath(model.sha256) / "model.bin"), "weights");
}

TEST_F(ContentReferencesTest, WhoeverNeedsQuarantinedContentTakesItBack) {
  const Model model = Register("a", "weights");
  const auto dataset = datasets_.RegisterRows({"default", "rows", "", ""}, {"a", "b"}, {}).value();
  Change(
      "CREATE TEMP TABLE kept_models AS SELECT * FROM models; DELETE FROM models;"
      "CREATE TEMP TABLE kept_datasets AS SELECT * FROM datasets; DELETE FROM datasets");
  ASSERT_TRUE(Reconcile());
  ASSERT_EQ(FilesUnder("content"), 0u);
  Change(
      "INSERT INTO models SELECT * FROM kept_models;"
      "INSERT INTO datasets SELECT * FROM kept_datasets");
  EXPECT_TRUE(models_.Verified(model, {}));
  EXPECT_EQ(datasets_.ReadRows(dataset).value(), (Rows{"a", "b"}));
  EXPECT_EQ(FilesUnder("content"), 2u);
}

TEST_F(ContentReferencesTest, AQuarantineThatCannotBeMadeFailsNoStart) {
  const std::string orphan = Orphan("orphan");
  WriteBytes(folder_ / "quarantine", "in the way");
  EXPECT_FALSE(Reconcile());
  EXPECT_TRUE(ContentUpkeep::Start(*database_, *content_));
  EXPECT_TRUE(content_->HasFile(orphan));
}

TEST_F(ContentReferencesTest, AStopEndsTheLook) {
  const std::string orphan = Orphan("orphan");
  std::stop_source stop;
  stop.request_stop();
  const Status stopped = ReconcileContent(*database_, *content_, Now(), stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::kCancelled);
  EXPECT_TRUE(content_->HasFile(orphan));
}

// What is nobody's when the look begins may be somebody's before its turn comes.
TEST_F(ContentReferencesTest, WhatIsRegisteredMeanwhileStays) {
  constexpr int kCount = 60;
  std::vector<std::string> digests;
  const auto weights = [](int i) { return "weights " + std::to_string(i); };
  for (int i = 0; i < kCount; ++i) {
    digests.push_back(Orphan(TarBuilder().File("model.bin", weights(i)).Build()));
  }
  {
    const std::jthread registering([&] {
      for (int i = kCount; i-- > 0;) Register("m", weights(i));
    });
    EXPECT_TRUE(Reconcile());
  }
  for (const std::string& sha256 : digests) EXPECT_TRUE(content_->HasFile(sha256));
}

TEST_F(ContentReferencesTest, LeaveAloneWhatIsNoContent) {
  fs::create_directories(folder_ / "content/sha256/no");
  WriteBytes(folder_ / "content/sha256/no/notes.txt", "mine");
  ASSERT_TRUE(Reconcile());
  EXPECT_EQ(FilesUnder("content"), 1u);
}

TEST_F(ContentReferencesTest, NothingIsRemovedBesideADamagedRow) {
  const Model kept = Register("a", "weights");
  const Model deleted = Register("b", "more weights");
  Change("UPDATE models SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x') WHERE name = 'a'");
  EXPECT_FALSE(Reconcile());
  EXPECT_TRUE(models_.Delete("default", deleted.id));
  EXPECT_TRUE(content_->HasFile(deleted.sha256));
  EXPECT_TRUE(content_->HasFile(kept.sha256));
  EXPECT_EQ(Quarantined(), 0u);
}

TEST_F(ContentReferencesTest, NothingIsRemovedBeforeTheDatabaseHasPassedItsCheck) {
  const Model model = Register("a", "weights");
  const std::string orphan = Orphan("orphan");
  database_.reset();
  database_ =
      Database::Open(folder_ / "mlprof.db", {.check_time = std::chrono::milliseconds(0)}).value();
  ModelRegistry models(*database_, *content_);
  ASSERT_TRUE(models.Delete("default", model.id));
  EXPECT_TRUE(content_->HasFile(model.sha256));
  const auto upkeep = ContentUpkeep::Start(*database_, *content_).value();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto gone = [&] {
    const auto lock = content_->Lock();
    return !content_->HasFile(orphan) && !content_->HasFile(model.sha256);
  };
  while (!gone() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_TRUE(gone());
  EXPECT_TRUE(database_->checked());
  EXPECT_EQ(Quarantined(), 3u);
}

// An index that misses the profile which runs must not let its model go.
TEST_F(ContentReferencesTest, UseIsLookedForByNoIndex) {
  const Model model = Register("sentiment", "weights");
  const auto profile = profiles_.Create(ExampleProfile("p"), {}, false);
  ASSERT_TRUE(profile) << profile.error().message();
  database_.reset();
  for (const char* index :
       {"profiles_by_state", "profiles_by_name", "sqlite_autoindex_profiles_1"}) {
    std::string bytes = BytesOf(folder_ / "mlprof.db");
    const std::size_t page = RootOffset(folder_ / "mlprof.db", index);
    ASSERT_NE(page, 0u);
    for (const std::string& text :
         {std::string("Queued"), std::string("default"), profile->profile.id}) {
      const std::size_t at = bytes.find(text, page);
      if (at < page + kPageBytes) bytes[at] = static_cast<char>(bytes[at] ^ 1);
    }
    WriteBytes(folder_ / "mlprof.db", bytes);
  }
  database_ =
      Database::Open(folder_ / "mlprof.db", {.check_time = std::chrono::milliseconds(0)}).value();
  ModelRegistry models(*database_, *content_);
  const Status refused = models.Delete("default", model.id);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
}

}  // namespace
}  // namespace mlprof::server
