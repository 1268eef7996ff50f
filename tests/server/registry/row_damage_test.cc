// Values that changed behind the server's back, which SQLite's own check passes.
#include <gtest/gtest.h>

#include "server/registry/model_rows.h"
#include "server/storage/azure_blobs.h"
#include "server/storage/statement.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

constexpr const char* kBlobDigest =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

class RowDamageTest : public RegistryTest {
 protected:
  void SetUp() override {
    const std::string tar = TarBuilder().File("model.bin", "weights").Build();
    NewModel model;
    model.workspace = "default";
    model.name = "words";
    ASSERT_TRUE(models_.Register(model, Upload(tar), {}));
    ASSERT_TRUE(datasets_.RegisterRows({"default", "rows", "", ""}, {"a"}, {}));
    ASSERT_TRUE(sources_.Register("default", Upload(tar)));
    profile_ = profiles_.Create(ExampleProfile("p"), {}, false).value().profile;
    artifact_ =
        artifacts_.Keep(profile_.id, {"log", "a.log", "text/plain", std::string("text")}).value();
    ASSERT_TRUE(database_->Write([](Connection& connection) -> Status {
      MLPROF_TRY(SaveBlob(connection, kBlob, {"path", kBlobDigest, Bytes(1), Timestamp()}));
      return SaveBlock(connection, kBlob, {"block", kBlobDigest, Bytes(1)}, Timestamp());
    }));
  }
  /// Without its checksum.
  void Change(const std::string& sql) {
    ASSERT_TRUE(
        database_->Write([&](Connection& connection) { return connection.Execute(sql.c_str()); }));
  }
  Result<std::unique_ptr<Database>> OpenAgain() {
    database_.reset();
    return Database::Open(folder_ / "mlprof.db");
  }

  static inline const BlobName kBlob{"default", "container", "path"};
  Profile profile_;
  Artifact artifact_;
};

TEST_F(RowDamageTest, RowsAsTheyWereWrittenPass) {
  ModelChange changed;
  changed.description = "changed";
  ASSERT_TRUE(models_.Change("default", "words", changed));
  profile_.state = ProfileState::kPreparing;
  ASSERT_TRUE(profiles_.Update(profile_, ProfileState::kQueued));
  ASSERT_TRUE(database_->Write([](Connection& connection) -> Status {
    MLPROF_TRY(SaveBlob(connection, kBlob, {"path", kBlobDigest, Bytes(2), Timestamp()}));
    return SaveBlock(connection, kBlob, {"block", kBlobDigest, Bytes(2)}, Timestamp());
  }));
  const auto again = OpenAgain();
  ASSERT_TRUE(again) << again.error().message();
}

TEST_F(RowDamageTest, AStartNamesTheRowThatChanged) {
  const std::pair<const char*, const char*> changes[] = {
      {"UPDATE models SET tags = '{\"a\":\"b\"}'", "the model words:1 of workspace default"},
      {"UPDATE models SET sha256 = replace(sha256, 'a', 'b')", "the model words:1"},
      {"UPDATE datasets SET row_count = row_count + 1", "the dataset rows:1 of workspace default"},
      {"UPDATE sources SET size_bytes = size_bytes + 1", "the source sha256:"},
      {"UPDATE profiles SET document = replace(document, '\"cpu\"', '\"cqu\"')", "the profile p ("},
      {"UPDATE profiles SET state = 'Succeeded'", "the profile p ("},
      {"UPDATE profile_artifacts SET media_type = 'text/html'",
       "the artifact a.log of the profile "},
      {"UPDATE azure_blobs SET modified_unix_ms = 1", "the blob container/path"},
      {"UPDATE azure_blocks SET created_unix_ms = 1", "a block of the blob container/path"},
  };
  database_.reset();
  const std::string whole = BytesOf(folder_ / "mlprof.db");
  for (const auto& [sql, named] : changes) {
    SCOPED_TRACE(sql);
    WriteBytes(folder_ / "mlprof.db", whole);
    database_ = Database::Open(folder_ / "mlprof.db").value();
    Change(sql);
    const auto refused = OpenAgain();
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find(named), std::string::npos)
        << refused.error().message();
    EXPECT_NE(refused.error().message().find("is not as it was written"), std::string::npos);
  }
}

TEST_F(RowDamageTest, ReadingSaysWhichRowIsDamaged) {
  Change("UPDATE models SET document = replace(document, 'default', 'defaulz')");
  Change("UPDATE models SET tags = '{\"a\":\"b\"}'");
  Change("UPDATE datasets SET description = 'another'");
  Change("UPDATE profiles SET dataset_id = 'another:1'");
  Change("UPDATE profile_artifacts SET name = 'b.log'");
  Change("UPDATE azure_blobs SET size_bytes = 2; UPDATE azure_blocks SET size_bytes = 2");
  const auto blob =
      database_->Read([](Connection& connection) { return FindBlob(connection, kBlob); });
  const auto block =
      database_->Read([](Connection& connection) { return FindBlock(connection, kBlob, "block"); });
  const ModelChange changed;
  const std::pair<std::string, std::string> told[] = {
      {MessageOf(models_.Get("default", "words")), "the model words:1"},
      {MessageOf(models_.List("default", {}, {})), "the model words:1"},
      {MessageOf(models_.Change("default", "words", changed)), "the model words:1"},
      {MessageOf(datasets_.Get("default", "rows")), "the dataset rows:1"},
      {MessageOf(datasets_.List("default", "", {})), "the dataset rows:1"},
      {MessageOf(profiles_.Get("default", "p")), "the profile " + profile_.id},
      {MessageOf(profiles_.List("default", {}, {})), "the profile " + profile_.id},
      {MessageOf(profiles_.Queued()), "the profile " + profile_.id},
      {MessageOf(artifacts_.Get(profile_.id, artifact_.id)), "the artifact " + artifact_.id},
      {MessageOf(artifacts_.List(profile_.id, {})), "the artifact " + artifact_.id},
      {MessageOf(blob), "the blob path"},
      {MessageOf(block), "the block block"},
  };
  for (const auto& [message, what] : told) {
    EXPECT_EQ(message.find("the row of " + what), 0u) << what << ": " << message;
  }
}

TEST_F(RowDamageTest, AnUpdateGivesADamagedRowNoNewChecksum) {
  Change("UPDATE profiles SET name = 'another'");
  profile_.state = ProfileState::kPreparing;
  const Status refused = profiles_.Update(profile_, ProfileState::kQueued);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInternal);
  EXPECT_FALSE(OpenAgain());
}

// Its time may be what is damaged.
TEST_F(RowDamageTest, ADamagedRowIsNotRemovedForItsAge) {
  Change("UPDATE azure_blobs SET modified_unix_ms = -1; UPDATE azure_blocks SET size_bytes = 2");
  const auto removed = database_->Write([](Connection& connection) {
    const auto blobs = DeleteBlobsBefore(connection, "container", Now()).value();
    const auto blocks = DeleteBlocksBefore(connection, Now()).value();
    return Result<std::size_t>(blobs.size() + blocks.size());
  });
  EXPECT_EQ(removed.value(), 0u);
}

// Data of a version that kept no checksums and had more indexes.
class OldDatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto old = Database::Open(file_, {.migrations = EmbeddedMigrations().first(11)}).value();
    ASSERT_TRUE(old->Write([](Connection& connection) {
      return connection.Execute(R"sql(
        INSERT INTO models (workspace, name, version, sha256, tags, document)
        VALUES ('default', 'words', 1, 'abcabcabc', '{}', '{}');
        INSERT INTO sources (workspace, sha256, size_bytes, created_unix_ms)
        VALUES ('default', 'abcabcabc', 1, 1);)sql");
    }));
  }

  TemporaryDirectory folder_;
  const std::filesystem::path file_ = folder_ / "mlprof.db";
};

TEST_F(OldDatabaseTest, IsGivenChecksumsByItsMigration) {
  ASSERT_TRUE(Database::Open(file_));
  const auto again = Database::Open(file_);
  ASSERT_TRUE(again) << again.error().message();
}

// As it happened: the index lost the model, and the start removed its files.
TEST_F(OldDatabaseTest, IsNotMigratedWhenItsIndexIsDamaged) {
  ASSERT_TRUE(FlipBit(file_, "models_by_sha256", "abcabcabc"));
  const std::string before = BytesOf(file_);
  const auto refused = Database::Open(file_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("missing from index models_by_sha256"),
            std::string::npos)
      << refused.error().message();
  EXPECT_EQ(BytesOf(file_), before);
}

}  // namespace
}  // namespace mlprof::server
