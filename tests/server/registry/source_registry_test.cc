#include "server/registry/source_registry.h"

#include <gmock/gmock.h>

#include "server/registry/uncommitted_content.h"
#include "tests/common/tar/tar_builder.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

using testing::HasSubstr;

class SourceRegistryTest : public RegistryTest {
 protected:
  std::string Register(const std::string& text = "pass") {
    return *sources_.Register("default", Upload(Tar(text)));
  }
  static std::string Tar(const std::string& text) {
    return TarBuilder().File("score.py", text).Build();
  }
  static InferenceConfig ConfigOf(const std::string& source) {
    InferenceConfig config;
    EntryScriptConfig script;
    script.entry_script = "score.py";
    script.source_id = source;
    config.service = script;
    return config;
  }
  Profile Create(const std::string& name, const std::string& source) {
    Profile profile = ExampleProfile(name);
    profile.request.inference_config = ConfigOf(source);
    return profiles_.Create(profile, {}, false)->profile;
  }
  std::string RefusalOf(const std::string& source) {
    const Status deleted = sources_.Delete("default", source);
    if (deleted) return "deleted";
    EXPECT_EQ(deleted.error().code(), ErrorCode::kConflict);
    return deleted.error().message();
  }
  template <typename T>
  static std::string RefusedField(const Result<T>& stored) {
    if (stored || stored.error().fields().empty()) return "none";
    return stored.error().fields().front().pointer;
  }
  bool IsThere(const std::string& source) { return sources_.Exists("default", source).value(); }
  std::size_t Kept() { return FilesUnder("content") + FilesUnder("trees"); }
};

TEST_F(SourceRegistryTest, DeletesASourceWithItsContent) {
  const std::string id = Register();
  const std::string other = Register("other");
  ASSERT_TRUE(sources_.Delete("default", id));
  EXPECT_FALSE(IsThere(id));
  EXPECT_TRUE(sources_.Verified("default", other, {}));
  EXPECT_EQ(Kept(), 2u);
  EXPECT_EQ(sources_.Delete("default", id).error().code(), ErrorCode::kNotFound);
}

TEST_F(SourceRegistryTest, DeletesNoneThatIsUnknown) {
  const std::string id = Register();
  EXPECT_EQ(sources_.Delete("elsewhere", id).error().code(), ErrorCode::kNotFound);
  for (const char* none : {"", "sha256:", "sha256:../..", "score:1"}) {
    EXPECT_EQ(sources_.Delete("default", none).error().code(), ErrorCode::kNotFound) << none;
  }
  EXPECT_TRUE(IsThere(id));
}

TEST_F(SourceRegistryTest, DeletesNoneThatAProfileStillNeeds) {
  const std::string id = Register();
  Profile profile = Create("p", id);
  for (const ProfileState state : {ProfileState::kPreparing, ProfileState::kStarting,
                                   ProfileState::kProfiling, ProfileState::kVerifying}) {
    EXPECT_THAT(RefusalOf(id), HasSubstr("is in use by the profile \"p\";"));
    const ProfileState before = std::exchange(profile.state, state);
    ASSERT_TRUE(profiles_.Update(profile, before));
  }
  EXPECT_THAT(RefusalOf(id), HasSubstr("is in use by the profile \"p\";"));
  EXPECT_TRUE(sources_.Verified("default", id, {}));
  profile.state = ProfileState::kSucceeded;
  ASSERT_TRUE(profiles_.Update(profile, ProfileState::kVerifying));
  EXPECT_TRUE(sources_.Delete("default", id));
}

TEST_F(SourceRegistryTest, DeletesNoneThatAModelWouldBeServedBy) {
  const std::string id = Register();
  NewModel model;
  model.workspace = "default";
  model.name = "words";
  model.inference_config = ConfigOf(id);
  ASSERT_TRUE(models_.Register(model, Upload(Tar("weights")), {}));
  EXPECT_THAT(RefusalOf(id), HasSubstr("the inference config of the model words:1;"));
  ModelChange change;
  change.inference_config = ConfigOf(Register("other"));
  ASSERT_TRUE(models_.Change("default", "words", change));
  EXPECT_TRUE(sources_.Delete("default", id));
}

// It may have been deleted since whoever stores it saw it there.
TEST_F(SourceRegistryTest, NoProfileAndNoModelIsStoredWithASourceThatIsGone) {
  const std::string id = Register();
  NewModel model;
  model.workspace = "default";
  model.name = "words";
  ASSERT_TRUE(models_.Register(model, Upload(Tar("weights")), {}));
  ASSERT_TRUE(sources_.Delete("default", id));
  ASSERT_TRUE(sources_.Register("elsewhere", Upload(Tar("pass"))));

  Profile profile = ExampleProfile("p");
  profile.request.inference_config = ConfigOf(id);
  EXPECT_EQ(RefusedField(profiles_.Create(profile, {}, false)), "/inferenceConfig/sourceId");
  ModelChange change;
  change.inference_config = ConfigOf(id);
  EXPECT_EQ(RefusedField(models_.Change("default", "words", change)), "/inferenceConfig/sourceId");
  EXPECT_FALSE(models_.Get("default", "words")->inference_config);
  model.inference_config = ConfigOf(id);
  EXPECT_EQ(RefusedField(models_.Register(model, Upload(Tar("weights")), {})),
            "/inferenceConfig/sourceId");
}

TEST_F(SourceRegistryTest, NamesWhoeverNeedsIt) {
  const std::string id = Register();
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) Create(name, id);
  EXPECT_THAT(RefusalOf(id), HasSubstr("the profile \"d\", the profile \"e\" and 2 more;"));
}

TEST_F(SourceRegistryTest, KeepsContentThatOthersReferTo) {
  const std::string id = Register();
  ASSERT_TRUE(sources_.Register("elsewhere", Upload(Tar("pass"))));
  NewModel model;
  model.workspace = "default";
  model.name = "words";
  ASSERT_TRUE(models_.Register(model, Upload(Tar("pass")), {}));
  ASSERT_TRUE(sources_.Delete("default", id));
  EXPECT_TRUE(sources_.Verified("elsewhere", id, {}));
  ASSERT_TRUE(sources_.Delete("elsewhere", id));
  EXPECT_EQ(Kept(), 2u);
  ASSERT_TRUE(models_.Delete("default", "words"));
  EXPECT_EQ(Kept(), 0u);
}

TEST_F(SourceRegistryTest, ForgetsTheKeyOfADeletedOne) {
  const auto id = sources_.Register("default", Upload(Tar("pass")), {"k", "f"});
  ASSERT_TRUE(sources_.Delete("default", *id));
  ASSERT_TRUE(sources_.Register("default", Upload(Tar("pass")), {"k", "f"}));
  EXPECT_TRUE(IsThere(*id));
}

TEST_F(SourceRegistryTest, TakesBackWhatWasRegisteredTentatively) {
  std::string id;
  {
    const auto source = sources_.RegisterTentatively("default", Upload(Tar("pass")));
    ASSERT_TRUE(source);
    id = source->id();
    EXPECT_TRUE(IsThere(id));
  }
  EXPECT_FALSE(IsThere(id));
  EXPECT_EQ(Kept(), 0u);
  sources_.RegisterTentatively("default", Upload(Tar("pass")))->Keep();
  EXPECT_TRUE(IsThere(id));
}

TEST_F(SourceRegistryTest, TakesBackNoneThatOthersHaveAsWell) {
  const std::string before = Register("before");
  { const auto source = sources_.RegisterTentatively("default", Upload(Tar("before"))); }
  EXPECT_TRUE(IsThere(before));
  std::string id;
  {
    const auto source = sources_.RegisterTentatively("default", Upload(Tar("meanwhile")));
    id = Register("meanwhile");
  }
  EXPECT_TRUE(IsThere(id));
  {
    const auto source = sources_.RegisterTentatively("default", Upload(Tar("used")));
    id = source->id();
    Create("p", id);
  }
  EXPECT_TRUE(IsThere(id));
}

TEST_F(SourceRegistryTest, TheLastOfSeveralTakesItBackUnlessOneKeptIt) {
  const auto tentatively = [&] {
    return std::make_unique<TentativeSource>(
        *sources_.RegisterTentatively("default", Upload(Tar("pass"))));
  };
  auto first = tentatively();
  const std::string id = first->id();
  auto second = tentatively();
  first.reset();
  EXPECT_TRUE(IsThere(id));
  second.reset();
  EXPECT_FALSE(IsThere(id));
  first = tentatively();
  second = tentatively();
  first->Keep();
  second.reset();
  EXPECT_TRUE(IsThere(id));
}

TEST_F(SourceRegistryTest, AnExceptionTakesContentBackToo) {
  const std::string sha256(64, 'a');
  try {
    const UncommittedContent uncommitted(*database_, *content_, sha256);
    const auto file = content_->NewIncomingPath();
    std::ofstream(file) << "file";
    ASSERT_TRUE(content_->PutFile(file, uncommitted.claim()));
    const auto tree = content_->NewIncomingPath();
    std::filesystem::create_directory(tree);
    std::ofstream(tree / "a") << "a";
    ASSERT_TRUE(content_->PutTree(tree, uncommitted.claim()));
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
  }
  EXPECT_EQ(Kept(), 0u);
}

}  // namespace
}  // namespace mlprof::server
