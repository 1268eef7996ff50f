#include "server/registry/model_registry.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/hash/sha256.h"
#include "server/registry/content_references.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/server/registry/gzip_bytes.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

class ModelRegistryTest : public RegistryTest {
 protected:
  static NewModel Named(const std::string& name) {
    NewModel model;
    model.workspace = "default";
    model.name = name;
    return model;
  }
  Result<Model> Register(const std::string& name, const std::string& tar,
                         const IdempotencyKey& key = {}) {
    return models_.Register(Named(name), Upload(tar), key);
  }
  std::string Names(const ModelFilter& filter) {
    std::string all;
    const auto page = models_.List("default", filter, {});
    if (!page) return page.error().message();
    for (const Model& model : page->value) all += model.id + " ";
    return all;
  }

  const std::string tar_ = TarBuilder().File("words/model.bin", "weights").Build();
};

int ModeOf(const std::filesystem::path& path) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 ? static_cast<int>(facts.st_mode & 07777) : -1;
}

TEST_F(ModelRegistryTest, KeepsTheTarAndUnpacksItReadable) {
  NewModel wanted = Named("words");
  wanted.description = "counts words";
  wanted.tags = {{"task", "text"}};
  wanted.properties = {{"framework", "none"}};
  wanted.inference_config = InferenceConfig{};
  ImageConfig image;
  image.image = "words";
  wanted.inference_config->service = image;
  const auto made = models_.Register(wanted, Upload(tar_), {});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->sha256, Sha256Hex(tar_));
  EXPECT_EQ(made->size, Bytes(7));
  const auto model = models_.Get("default", "words:1");
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->id, "words:1");
  EXPECT_EQ(model->workspace, "default");
  EXPECT_EQ(model->tags, wanted.tags);
  EXPECT_EQ(model->properties, wanted.properties);
  EXPECT_EQ(model->inference_config, wanted.inference_config);
  EXPECT_EQ(model->created, made->created);
  EXPECT_EQ(Content(models_.Archive(*model).value()), tar_);
  const auto files = models_.Files(*model).value();
  EXPECT_EQ(Content(files / "words/model.bin"), "weights");
  EXPECT_EQ(ModeOf(files), 0755);
  EXPECT_EQ(ModeOf(files / "words"), 0755);
  EXPECT_EQ(ModeOf(files / "words/model.bin"), 0644);
  EXPECT_EQ(ModeOf(files.parent_path()), 0700);
}

TEST_F(ModelRegistryTest, UnpacksGzipToTheSameContent) {
  const auto plain = Register("a", tar_);
  const auto packed = Register("b", Gzip(tar_));
  ASSERT_TRUE(packed) << packed.error().message();
  EXPECT_EQ(packed->sha256, plain->sha256);
  EXPECT_EQ(FilesUnder("content"), 1u);
}

TEST_F(ModelRegistryTest, LeavesNothingOfARefusedTar) {
  const auto refused = Register("words", TarBuilder().File("a").Typed('2', "b", "").Build());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("\"b\""), std::string::npos);
  EXPECT_EQ(FilesUnder("."), FilesUnder("content") + 3);  // the database's own three
  EXPECT_EQ(models_.Get("default", "words").error().code(), ErrorCode::kNotFound);
}

TEST_F(ModelRegistryTest, CountsVersionsAndNeverReusesOne) {
  EXPECT_EQ(Register("words", tar_)->version, 1);
  EXPECT_EQ(Register("words", tar_)->version, 2);
  EXPECT_EQ(models_.Get("default", "words")->version, 2);
  ASSERT_TRUE(models_.Delete("default", "words:2"));
  EXPECT_EQ(models_.Get("default", "words")->version, 1);
  EXPECT_EQ(Register("words", tar_)->version, 3);
}

TEST_F(ModelRegistryTest, KeepsWorkspacesApart) {
  NewModel elsewhere = Named("words");
  elsewhere.workspace = "sub/group/name";
  ASSERT_TRUE(models_.Register(elsewhere, Upload(tar_), {}));
  EXPECT_EQ(models_.Get("default", "words").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Register("words", tar_)->version, 1);
}

TEST_F(ModelRegistryTest, RefusesBadNamesAndIds) {
  for (const char* name : {"", "-a", "a/b", "a b", ".a", "a:1"}) {
    EXPECT_EQ(Register(name, tar_).error().code(), ErrorCode::kInvalidArgument) << name;
  }
  ASSERT_TRUE(Register("words", tar_));
  for (const char* id : {"words:0", "words:01", "words:", "words:x", "words:1:1", "../words", ""}) {
    EXPECT_EQ(models_.Get("default", id).error().code(), ErrorCode::kNotFound) << id;
  }
}

TEST_F(ModelRegistryTest, GivesForARepeatedKeyTheModelItMade) {
  const IdempotencyKey key{"k", "f"};
  const auto first = Register("words", tar_, key);
  database_ = nullptr;
  database_ = Database::Open(folder_ / "mlprof.db").value();
  ModelRegistry again(*database_, *content_);
  EXPECT_EQ(again.Register(Named("words"), Upload(tar_), key)->id, first->id);
  EXPECT_EQ(again.Register(Named("words"), Upload(tar_), {"k", "g"}).error().code(),
            ErrorCode::kKeyReused);
  EXPECT_EQ(again.List("default", {}, {})->value.size(), 1u);
}

TEST_F(ModelRegistryTest, FiltersByNameAndTags) {
  NewModel a = Named("a");
  a.tags = {{"task", "text"}, {"size", "small"}};
  NewModel b = Named("b");
  b.tags = {{"task", "image"}};
  ASSERT_TRUE(models_.Register(a, Upload(tar_), {}));
  ASSERT_TRUE(models_.Register(b, Upload(tar_), {}));
  EXPECT_EQ(Names({}), "b:1 a:1 ");
  EXPECT_EQ(Names({.name = "a", .tags = {}}), "a:1 ");
  EXPECT_EQ(Names({.name = "", .tags = {{"task", std::nullopt}}}), "b:1 a:1 ");
  EXPECT_EQ(Names({.name = "", .tags = {{"task", "text"}}}), "a:1 ");
  EXPECT_EQ(Names({.name = "", .tags = {{"task", "text"}, {"size", "large"}}}), "");
  EXPECT_EQ(Names({.name = "", .tags = {{"' OR 1 --", "x"}}}), "");
}

TEST_F(ModelRegistryTest, ListsPageByPage) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Register("words", tar_));
  const auto first = models_.List("default", {}, {.top = 2, .cursor = ""});
  ASSERT_EQ(first->value.size(), 2u);
  const auto second = models_.List("default", {}, {.top = 2, .cursor = *first->next_cursor});
  ASSERT_EQ(second->value.size(), 1u);
  EXPECT_EQ(second->value.front().id, "words:1");
  EXPECT_FALSE(second->next_cursor);
}

TEST_F(ModelRegistryTest, ChangesWhatMayChange) {
  NewModel wanted = Named("words");
  wanted.tags = {{"old", "1"}, {"kept", "2"}};
  ASSERT_TRUE(models_.Register(wanted, Upload(tar_), {}));
  ModelChange change;
  change.description = "new";
  change.add_tags = {{"requestedCpu", "0.4"}};
  change.remove_tags = {"old", "never-there"};
  change.add_properties = {{"p", "q"}};
  ASSERT_TRUE(models_.Change("default", "words", change));
  const auto model = models_.Get("default", "words:1");
  EXPECT_EQ(model->description, "new");
  EXPECT_EQ(model->tags,
            (std::map<std::string, std::string>{{"kept", "2"}, {"requestedCpu", "0.4"}}));
  EXPECT_EQ(model->properties.at("p"), "q");
  EXPECT_EQ(Names({.name = "", .tags = {{"requestedCpu", "0.4"}}}), "words:1 ");
  EXPECT_EQ(models_.Change("default", "other", change).error().code(), ErrorCode::kNotFound);
}

TEST_F(ModelRegistryTest, DoesNotDeleteWhatAnUnfinishedProfileUses) {
  ASSERT_TRUE(Register("sentiment", tar_));
  Profile profile = profiles_.Create(ExampleProfile("p"), {}, false)->profile;
  const Status refused = models_.Delete("default", "sentiment:1");
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
  EXPECT_NE(refused.error().message().find("\"p\""), std::string::npos);
  profile.state = ProfileState::kCanceled;
  ASSERT_TRUE(profiles_.Update(profile, ProfileState::kQueued));
  EXPECT_TRUE(models_.Delete("default", "sentiment:1"));
}

TEST_F(ModelRegistryTest, RemovesContentWithItsLastModel) {
  ASSERT_TRUE(Register("a", tar_));
  ASSERT_TRUE(Register("b", tar_));
  ASSERT_TRUE(models_.Delete("default", "a"));
  EXPECT_EQ(FilesUnder("content"), 1u);
  EXPECT_EQ(FilesUnder("trees"), 1u);
  ASSERT_TRUE(models_.Delete("default", "b"));
  EXPECT_EQ(FilesUnder("content"), 0u);
  EXPECT_EQ(FilesUnder("trees"), 0u);
}

TEST_F(ModelRegistryTest, AStartMovesAwayWhatNoRowRefersTo) {
  const auto model = Register("a", tar_);
  const auto orphan = content_->NewIncomingPath();
  std::ofstream(orphan) << "orphan";
  ASSERT_TRUE(content_->PutFile(orphan, ContentClaim(*content_, Sha256Hex("orphan"))));
  ASSERT_EQ(FilesUnder("content"), 2u);
  std::ofstream(content_->NewIncomingPath()) << "half an upload";
  const auto again = ContentStore::Open(folder_.path()).value();
  ASSERT_TRUE(ReconcileContent(*database_, *again, Now()));
  EXPECT_EQ(FilesUnder("incoming"), 0u);
  EXPECT_EQ(FilesUnder("content"), 1u);
  EXPECT_TRUE(models_.Files(*model));
}

TEST_F(ModelRegistryTest, SaysWhenFilesAreMissing) {
  const auto model = Register("a", tar_);
  std::filesystem::remove_all(models_.Files(*model).value());
  EXPECT_EQ(models_.Files(*model).error().code(), ErrorCode::kInternal);
}

TEST_F(ModelRegistryTest, GivesSourcesAnIdByContent) {
  const auto id = sources_.Register("default", Upload(tar_));
  ASSERT_TRUE(id) << id.error().message();
  EXPECT_EQ(*id, "sha256:" + Sha256Hex(tar_));
  EXPECT_EQ(sources_.Register("default", Upload(Gzip(tar_))).value(), *id);
  EXPECT_TRUE(sources_.Exists("default", *id).value());
  EXPECT_FALSE(sources_.Exists("elsewhere", *id).value());
  EXPECT_FALSE(sources_.Exists("default", "sha256:../..").value());
  EXPECT_EQ(Content(sources_.Verified("default", *id, {})->files / "words/model.bin"), "weights");
  EXPECT_EQ(sources_.Verified("default", "../..", {}).error().code(), ErrorCode::kNotFound);
}

TEST_F(ModelRegistryTest, TakesAKeyForOneSourceOnly) {
  const IdempotencyKey key{"k", "f"};
  const auto id = sources_.Register("default", Upload(tar_), key);
  ASSERT_TRUE(id) << id.error().message();
  EXPECT_EQ(sources_.Register("default", Upload(tar_), key).value(), *id);
  EXPECT_EQ(sources_.Register("default", Upload(tar_), {"k", "other"}).error().code(),
            ErrorCode::kKeyReused);
}

TEST_F(ModelRegistryTest, KeepsContentASourceStillRefersTo) {
  const auto id = sources_.Register("default", Upload(tar_));
  ASSERT_TRUE(Register("a", tar_));
  ASSERT_TRUE(models_.Delete("default", "a"));
  EXPECT_TRUE(sources_.Verified("default", *id, {}));
}

}  // namespace
}  // namespace mlprof::server
