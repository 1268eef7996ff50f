#include "server/registry/capture_store.h"

#include <gtest/gtest.h>

#include "common/hash/sha256.h"
#include "server/registry/content_references.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

class CaptureStoreTest : public RegistryTest {
 protected:
  Capture KeepTrace(const std::string& bytes, const std::string& workspace = "default") {
    SpooledBody body = Upload(bytes);
    body.sha256 = Sha256Hex(bytes);
    return captures_.Keep(workspace, body).value();
  }
  CaptureStore captures_{*database_, *content_, Bytes(10)};
};

TEST_F(CaptureStoreTest, ATraceIsKnownByItsContent) {
  const Capture kept = KeepTrace("trace");
  EXPECT_EQ(kept.id, "sha256:" + Sha256Hex("trace"));
  EXPECT_EQ(kept.size, Bytes(5));
  EXPECT_EQ(KeepTrace("trace").created, kept.created);
  EXPECT_EQ(Content(captures_.File(captures_.Get("default", kept.id).value()).value()), "trace");
  EXPECT_EQ(FilesUnder("incoming"), 0U);
}

TEST_F(CaptureStoreTest, TheOldestMakeRoomForTheNewest) {
  const Capture first = KeepTrace("11111");
  const Capture second = KeepTrace("22222", "other");
  EXPECT_TRUE(captures_.Get("default", first.id));
  const Capture third = KeepTrace("33333");
  EXPECT_EQ(captures_.Get("default", first.id).error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(content_->HasFile(Sha256Hex("11111")));
  EXPECT_TRUE(captures_.Get("other", second.id));
  EXPECT_TRUE(captures_.Get("default", KeepTrace("larger than all of the room").id));
  EXPECT_FALSE(captures_.Get("default", third.id));
}

TEST_F(CaptureStoreTest, ContentThatAnotherWorkspaceHasStays) {
  const Capture kept = KeepTrace("trace");
  KeepTrace("trace", "other");
  ASSERT_TRUE(captures_.Remove("default", kept.id));
  EXPECT_EQ(captures_.Remove("default", kept.id).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Content(captures_.File(captures_.Get("other", kept.id).value()).value()), "trace");
}

TEST_F(CaptureStoreTest, ThoseOfAProfileAreFoundAndGoWithIt) {
  Profile profile = ExampleProfile("p");
  profile.id.clear();
  const std::string owner = profiles_.Create(profile, {}, false).value().profile.id;
  const std::string id = "sha256:" + Sha256Hex("of a profile");
  ASSERT_TRUE(artifacts_.Keep(owner, {kCaptureKind, "alone.xplane.pb", "application/octet-stream",
                                      std::string("of a profile")}));
  ASSERT_TRUE(artifacts_.Keep(owner, {"log", "a.log", "text/plain", std::string("a log")}));
  const Capture found = captures_.Get(profile.workspace, id).value();
  EXPECT_EQ(found.id, id);
  EXPECT_EQ(Content(captures_.File(found).value()), "of a profile");
  EXPECT_EQ(captures_.Get("another", id).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(captures_.Get(profile.workspace, "sha256:" + Sha256Hex("a log")).error().code(),
            ErrorCode::kNotFound);
  EXPECT_EQ(captures_.Remove(profile.workspace, id).error().code(), ErrorCode::kConflict);
  KeepTrace("larger than all of the room");  // takes no room from it
  EXPECT_TRUE(captures_.Get(profile.workspace, id));
  ASSERT_TRUE(artifacts_.RemoveAllOf(owner));
  EXPECT_EQ(captures_.Get(profile.workspace, id).error().code(), ErrorCode::kNotFound);
}

TEST_F(CaptureStoreTest, TheRowsOfOneAreThoseBesideItInItsProfile) {
  const auto profile_with = [&](const std::string& name, const std::string& trace) {
    Profile profile = ExampleProfile(name);
    profile.id.clear();
    const std::string owner = profiles_.Create(profile, {}, false).value().profile.id;
    EXPECT_TRUE(artifacts_.Keep(
        owner, {kCaptureKind, CaptureFileName("alone"), "application/octet-stream", trace}));
    return std::pair(owner, profile.workspace);
  };
  const auto [owner, workspace] = profile_with("p", "with rows");
  profile_with("q", "without");
  ASSERT_TRUE(artifacts_.Keep(owner, {kCaptureRowsKind, CaptureRowsFileName("alone"),
                                      "application/json", std::string("rows")}));
  ASSERT_TRUE(artifacts_.Keep(owner, {kCaptureRowsKind, CaptureRowsFileName("objective"),
                                      "application/json", std::string("others")}));
  const auto rows_of = [&](const std::string& trace, const std::string& where) {
    return captures_.RowsFile(where, {"sha256:" + Sha256Hex(trace), Bytes(1), {}}).value();
  };
  EXPECT_EQ(Content(*rows_of("with rows", workspace)), "rows");
  EXPECT_FALSE(rows_of("without", workspace));
  EXPECT_FALSE(rows_of("with rows", "another"));
  EXPECT_FALSE(rows_of("handed in", workspace));
}

TEST_F(CaptureStoreTest, AScratchFileGoesWithItsLastOwner) {
  auto scratch = captures_.ScratchFile();
  WriteBytes(*scratch, "json");
  EXPECT_EQ(FilesUnder("incoming"), 1U);
  scratch.reset();
  EXPECT_EQ(FilesUnder("incoming"), 0U);
}

}  // namespace
}  // namespace mlprof::server
