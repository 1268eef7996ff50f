// Which images are this installation's, and how they go; against an engine that does what the test
// tells it to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/runtime/docker/docker_runtime.h"
#include "server/runtime/docker/kept_images.h"
#include "server/runtime/environment/environment_recipe.h"
#include "tests/fakes/fake_docker.h"

namespace mlprof::server::docker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const std::string kHash = "0123456789abcdef";
const std::string kOwn = "mlprof-env:" + kHash + "-installation";
const std::string kShared = "mlprof-env:" + kHash;
const std::string kAnothers = "mlprof-env:" + kHash + "-anotherone00";

class KeptImages : public ::testing::Test {
 protected:
  KeptImages() {
    DockerOptions options;
    options.agent_binary = "/bin/true";
    options.data_dir = std::filesystem::path(docker_.socket()).parent_path() / "data";
    options.instance_id = "installation1234";
    context_ = std::make_shared<DockerContext>(
        options, docker_.socket(), [](int, const Patience&) -> Result<std::unique_ptr<AgentLink>> {
          return Fail(Internal("no agent comes"));
        });
    runtime_ = std::make_unique<DockerRuntime>(context_);
    docker_.On("DELETE /images/", 200, "[]");
    docker_.On("POST /images/", 201, "");
    docker_.On("GET /images/mlprof-base%3A1/json", 200, R"({"Id":"sha256:base"})");
  }
  // Named so, of 1000 bytes with what it shares, 700 of them installed.
  void ImageIs(const std::vector<std::string>& names) {
    const Json image = {{"Id", "sha256:image"},
                        {"RepoTags", names},
                        {"Created", 1'790'000'000},
                        {"Size", 1000},
                        {"Labels", {{"mlprof.env", kHash}, {"mlprof.bytes", "700"}}}};
    docker_.On("GET /images/json", 200, DumpJson(Json::array({image})));
  }
  static Deadline Soon() { return Deadline::After(std::chrono::seconds(10)); }
  Result<std::vector<KeptImage>> List(const std::vector<PrepareRequest>& waiting = {}) {
    return runtime_->KeptImages(waiting, Soon(), {});
  }
  // "DELETE /images/…" and "POST /images/…", as they came.
  std::vector<std::string> Changes() const {
    std::vector<std::string> changes;
    for (const std::string& call : docker_.Calls()) {
      if (!call.starts_with("GET")) changes.push_back(call);
    }
    return changes;
  }
  static PrepareRequest Script(const std::string& base = "") {
    EntryScriptConfig script;
    script.base_image = base;
    PrepareRequest request;
    request.config.service = script;
    return request;
  }

  fakes::FakeDocker docker_;
  std::shared_ptr<DockerContext> context_;
  std::unique_ptr<DockerRuntime> runtime_;
};

TEST_F(KeptImages, AreThoseThatThisInstallationGaveAName) {
  ImageIs({kShared, kAnothers});
  EXPECT_THAT(*List(), IsEmpty());
  ImageIs({kShared, kAnothers, kOwn});
  const auto images = List();
  ASSERT_EQ(images->size(), 1u);
  EXPECT_EQ(images->at(0).id, kShared);
  EXPECT_EQ(images->at(0).size, Bytes(700));
  EXPECT_EQ(images->at(0).last_used, Timestamp(std::chrono::seconds(1'790'000'000)));
  EXPECT_FALSE(images->at(0).needed);
}

TEST_F(KeptImages, AreFoundAgainWhereARemovalWasInterrupted) {
  docker_.On("POST /images/mlprof-env%3A" + kHash + "/tag", 404, R"({"message":"No such image"})");
  ASSERT_TRUE(KeepImage(*context_, kHash, Soon()));
  EXPECT_THAT(Changes().back(), HasSubstr("-installation/tag"));
}

TEST_F(KeptImages, AreAsOldAsTheirLastUse) {
  ImageIs({kShared, kOwn});
  const Timestamp used{std::chrono::seconds(1'790'000'500)};
  ASSERT_TRUE(context_->uses.Use(kHash, used, Soon()));
  EXPECT_EQ(List()->at(0).last_used, used);
}

TEST_F(KeptImages, AreNeededByWhatIsMadeOfTheSameRecipe) {
  const environment::Recipe recipe = environment::RecipeOf({}, nullptr).value();
  const std::string hash = environment::RecipeHash(recipe, "sha256:base");
  ImageIs({"mlprof-env:" + hash, "mlprof-env:" + hash + "-installation"});
  EXPECT_FALSE(List()->at(0).needed);
  EXPECT_TRUE(List({Script()})->at(0).needed);
}

TEST_F(KeptImages, StayWhereNobodyCanTellWhatIsNeeded) {
  ImageIs({kShared, kOwn});
  docker_.On("GET /images/far%3A1/json", 404, R"({"message":"No such image"})");
  const auto images = List({Script("far:1")});
  ASSERT_FALSE(images);
  EXPECT_EQ(images.error().code(), ErrorCode::kConflict);
  EXPECT_THAT(images.error().message(), HasSubstr("far:1"));
}

TEST_F(KeptImages, GoWithTheirLastName) {
  ImageIs({kShared, kOwn});
  const KeptImage image = List()->at(0);
  ASSERT_TRUE(runtime_->RemoveImage(image, Soon(), {}));
  EXPECT_THAT(Changes(), ElementsAre("DELETE /images/mlprof-env%3A" + kHash,
                                     "DELETE /images/mlprof-env%3A" + kHash + "-installation"));
  for (const auto& request : docker_.Requests()) {
    EXPECT_THAT(request.target, Not(HasSubstr("force")));
  }
}

TEST_F(KeptImages, StayForAnotherInstallationThatUsesThem) {
  ImageIs({kShared, kOwn, kAnothers});
  const KeptImage image = List()->at(0);
  ASSERT_TRUE(runtime_->RemoveImage(image, Soon(), {}));
  EXPECT_THAT(Changes(), ElementsAre("DELETE /images/mlprof-env%3A" + kHash + "-installation"));
}

TEST_F(KeptImages, KeepTheirNamesWhileAContainerIsMadeOfThem) {
  ImageIs({kShared, kOwn});
  const KeptImage image = List()->at(0);
  docker_.On("DELETE /images/mlprof-env%3A" + kHash + "-installation", 409,
             R"({"message":"conflict: container 12 is using its referenced image"})");
  EXPECT_EQ(runtime_->RemoveImage(image, Soon(), {}).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(Changes().back(), "POST /images/mlprof-env%3A" + kHash + "-installation/tag");
}

TEST_F(KeptImages, DoNotGoThatWereUsedSinceTheyWereListed) {
  ImageIs({kShared, kOwn});
  const KeptImage image = List()->at(0);
  ASSERT_TRUE(context_->uses.Use(kHash, Now() + std::chrono::hours(1), Soon()));
  EXPECT_EQ(runtime_->RemoveImage(image, Soon(), {}).error().code(), ErrorCode::kConflict);
  EXPECT_THAT(Changes(), IsEmpty());
}

TEST_F(KeptImages, GetTheirNameAndTheirUseWhenTheyArePrepared) {
  const std::string hash =
      environment::RecipeHash(environment::RecipeOf({}, nullptr).value(), "sha256:base");
  docker_.On("GET /images/mlprof-env%3A" + hash + "/json", 200, R"({"Id":"sha256:image"})");
  const Timestamp before = Now();
  const auto image = runtime_->Prepare(
      Script(), [](std::string_view) {}, {}, Soon());
  ASSERT_TRUE(image) << image.error().message();
  EXPECT_THAT(Changes(), ElementsAre("POST /images/mlprof-env%3A" + hash + "/tag"));
  EXPECT_GE(*context_->uses.LastUse(hash), before);
}

}  // namespace
}  // namespace mlprof::server::docker
