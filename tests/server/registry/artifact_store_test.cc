#include "server/registry/artifact_store.h"

#include <gtest/gtest.h>

#include "common/hash/sha256.h"
#include "server/registry/content_references.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/server/profiling/broken_storage.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

class ArtifactStoreTest : public RegistryTest {
 protected:
  std::string MakeProfile(const std::string& name) {
    Profile profile = ExampleProfile(name);
    profile.id.clear();
    return profiles_.Create(profile, {}, false).value().profile.id;
  }
  static NewArtifact ALog(const std::string& text, const std::string& name = "a.log") {
    return {"log", name, "text/plain; charset=utf-8", text};
  }
  Artifact Keep(const std::string& profile_id, const NewArtifact& artifact) {
    return artifacts_.Keep(profile_id, artifact).value();
  }
  std::vector<Artifact> All(const std::string& profile_id) {
    return artifacts_.List(profile_id, {}).value().value;
  }
  void Change(const char* sql) {
    ASSERT_TRUE(database_->Write([&](Connection& connection) { return connection.Execute(sql); }));
  }

  const std::string profile_ = MakeProfile("p");
};

TEST_F(ArtifactStoreTest, GivesBackWhatItKept) {
  const Timestamp before = Now();
  const Artifact kept = Keep(profile_, ALog("text"));
  const Artifact artifact = artifacts_.Get(profile_, kept.id).value();
  EXPECT_EQ(artifact.kind, "log");
  EXPECT_EQ(artifact.name, "a.log");
  EXPECT_EQ(artifact.media_type, "text/plain; charset=utf-8");
  EXPECT_EQ(artifact.size, Bytes(4));
  EXPECT_EQ(artifact.sha256, Sha256Hex("text"));
  EXPECT_GE(artifact.created, before - std::chrono::milliseconds(1));
  EXPECT_EQ(Content(artifacts_.File(artifact).value()), "text");
  EXPECT_EQ(FilesUnder("incoming"), 0u);
}

TEST_F(ArtifactStoreTest, CopiesAFileThatStaysItsOwners) {
  const fs::path file = folder_ / "capture.bin";
  WriteBytes(file, "bytes");
  const Artifact kept =
      Keep(profile_, {"capture", "capture.bin", "application/octet-stream", file});
  WriteBytes(file, "others");
  EXPECT_EQ(Content(artifacts_.File(kept).value()), "bytes");
}

TEST_F(ArtifactStoreTest, KeepsAnEmptyOne) {
  const Artifact kept = Keep(profile_, ALog(""));
  EXPECT_EQ(kept.size, Bytes(0));
  EXPECT_EQ(Content(artifacts_.File(kept).value()), "");
}

TEST_F(ArtifactStoreTest, AnotherOfTheNameTakesItsPlace) {
  const Artifact first = Keep(profile_, ALog("first"));
  const Artifact second = Keep(profile_, ALog("second"));
  EXPECT_EQ(artifacts_.Get(profile_, first.id).error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(content_->HasFile(first.sha256));
  ASSERT_EQ(All(profile_).size(), 1u);
  const Artifact same = Keep(profile_, ALog("second"));
  EXPECT_NE(same.id, second.id);
  EXPECT_EQ(Content(artifacts_.File(same).value()), "second");
}

TEST_F(ArtifactStoreTest, RefusesWhatCouldBeMoreThanANameOrAHeader) {
  const std::string bytes = "x";
  const NewArtifact bad[] = {
      {"log", "../a", "text/plain", bytes}, {"log", "", "text/plain", bytes},
      {"log", "a\"b", "text/plain", bytes}, {"a log", "a", "text/plain", bytes},
      {"log", "a", "text", bytes},          {"log", "a", "text/plain\r\nSet-Cookie: a", bytes}};
  for (const NewArtifact& artifact : bad) {
    const auto refused = artifacts_.Keep(profile_, artifact);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(FilesUnder("content"), 0u);
}

TEST_F(ArtifactStoreTest, ListsTheNewestFirstInPages) {
  for (const char* name : {"a", "b", "c"}) Keep(profile_, ALog(name, name));
  Keep(MakeProfile("another"), ALog("d", "d"));
  const auto page = artifacts_.List(profile_, {2, ""}).value();
  ASSERT_EQ(page.value.size(), 2u);
  EXPECT_EQ(page.value[0].name, "c");
  EXPECT_EQ(page.value[1].name, "b");
  const auto rest = artifacts_.List(profile_, {2, *page.next_cursor}).value();
  ASSERT_EQ(rest.value.size(), 1u);
  EXPECT_EQ(rest.value[0].name, "a");
  EXPECT_FALSE(rest.next_cursor);
}

TEST_F(ArtifactStoreTest, IsNobodyElses) {
  const std::string another = MakeProfile("another");
  const Artifact kept = Keep(profile_, ALog("text"));
  EXPECT_EQ(artifacts_.Get(another, kept.id).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(artifacts_.Remove(another, kept.id).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(artifacts_.Get(profile_, kept.id));
}

TEST_F(ArtifactStoreTest, ContentGoesWithTheLastThatRefersToIt) {
  const std::string another = MakeProfile("another");
  const Artifact first = Keep(profile_, ALog("text"));
  const Artifact second = Keep(another, ALog("text"));
  ASSERT_TRUE(artifacts_.Remove(profile_, first.id));
  EXPECT_EQ(Content(artifacts_.File(second).value()), "text");
  ASSERT_TRUE(artifacts_.Remove(another, second.id));
  EXPECT_FALSE(content_->HasFile(second.sha256));
  EXPECT_EQ(artifacts_.Remove(another, second.id).error().code(), ErrorCode::kNotFound);
}

TEST_F(ArtifactStoreTest, SharesContentWithARegistration) {
  const std::string tar = TarBuilder().File("model.bin", "weights").Build();
  const std::string sha256 = Sha256Hex(tar);
  ASSERT_EQ(sources_.Register("default", Upload(tar), {}).value(), "sha256:" + sha256);
  const Artifact kept = Keep(profile_, {"capture", "a.tar", "application/x-tar", tar});
  ASSERT_TRUE(sources_.Delete("default", "sha256:" + sha256));
  EXPECT_EQ(Content(artifacts_.File(kept).value()), tar);
  ASSERT_TRUE(sources_.Register("default", Upload(tar), {}));
  ASSERT_TRUE(artifacts_.Remove(profile_, kept.id));
  EXPECT_TRUE(content_->HasFile(sha256));
}

TEST_F(ArtifactStoreTest, AllOfOneProfileGoAtOnce) {
  const std::string another = MakeProfile("another");
  Keep(profile_, ALog("one", "1"));
  Keep(profile_, ALog("two", "2"));
  const Artifact kept = Keep(another, ALog("two", "2"));
  ASSERT_TRUE(artifacts_.RemoveAllOf(profile_));
  EXPECT_TRUE(All(profile_).empty());
  EXPECT_FALSE(content_->HasFile(Sha256Hex("one")));
  EXPECT_EQ(Content(artifacts_.File(kept).value()), "two");
  EXPECT_TRUE(artifacts_.RemoveAllOf(profile_));
}

TEST_F(ArtifactStoreTest, ADeletedProfileSaysWhichContentItHad) {
  Keep(profile_, ALog("text"));
  Profile profile = profiles_.Get("default", "p").value();
  profile.state = ProfileState::kSucceeded;
  ASSERT_TRUE(profiles_.Update(profile, ProfileState::kQueued));
  const auto digests = profiles_.Delete("default", "p").value();
  EXPECT_EQ(digests, std::vector{Sha256Hex("text")});
  EXPECT_TRUE(All(profile_).empty());
  artifacts_.ForgetContentOf(digests);
  EXPECT_EQ(FilesUnder("content"), 0u);
}

TEST_F(ArtifactStoreTest, WhatIsToBeMeasuredAgainHasNone) {
  Keep(profile_, ALog("text"));
  EXPECT_EQ(profiles_.ClearMeasured(profile_).value(), std::vector{Sha256Hex("text")});
  EXPECT_TRUE(All(profile_).empty());
}

TEST_F(ArtifactStoreTest, OneWhoseRowIsRefusedLeavesNothing) {
  EXPECT_FALSE(artifacts_.Keep("no such profile", ALog("text")));
  BrokenStorage storage(folder_ / "mlprof.db");
  storage.Break("INSERT ON profile_artifacts");
  EXPECT_FALSE(artifacts_.Keep(profile_, ALog("text")));
  EXPECT_EQ(FilesUnder("content"), 0u);
  EXPECT_EQ(FilesUnder("incoming"), 0u);
  storage.Mend();
  EXPECT_TRUE(artifacts_.Keep(profile_, ALog("text")));
}

TEST_F(ArtifactStoreTest, AStartTakesItsContentForNobodyElses) {
  const Artifact kept = Keep(profile_, ALog("text"));
  ASSERT_TRUE(ReconcileContent(*database_, *content_, Now()));
  EXPECT_EQ(Content(artifacts_.File(kept).value()), "text");
  Change(
      "CREATE TEMP TABLE kept AS SELECT * FROM profile_artifacts; DELETE FROM profile_artifacts");
  ASSERT_TRUE(ReconcileContent(*database_, *content_, Now()));
  EXPECT_FALSE(content_->HasFile(kept.sha256));
  Change("INSERT INTO profile_artifacts SELECT * FROM kept");
  EXPECT_EQ(Content(artifacts_.File(kept).value()), "text");  // out of the quarantine
}

TEST_F(ArtifactStoreTest, SaysThatAFileIsDamagedOrMissing) {
  const Artifact kept = Keep(profile_, ALog("text"));
  WriteBytes(content_->FilePath(kept.sha256), "tent");
  EXPECT_EQ(artifacts_.File(kept).error().code(), ErrorCode::kInternal);
  fs::remove(content_->FilePath(kept.sha256));
  EXPECT_EQ(artifacts_.File(kept).error().code(), ErrorCode::kInternal);
  EXPECT_TRUE(artifacts_.Remove(profile_, kept.id));
}

}  // namespace
}  // namespace mlprof::server
