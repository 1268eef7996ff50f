#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/runtime/docker/prepare.h"
#include "tests/fakes/fake_docker.h"

namespace mlprof::server::docker {
namespace {

using fakes::FakeDocker;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class PullImageTest : public ::testing::Test {
 protected:
  PullImageTest() {
    docker_.On("GET /images/", 404, R"({"message":"No such image"})");
    docker_.On("GET /info", 200,
               R"({"RegistryConfig":{"IndexConfigs":{"mirror.example:5000":{}}}})");
  }

  Result<PreparedImage> Prepare(const std::string& image) {
    DockerContext context(options_, docker_.socket(), {});
    const PrepareOutput quiet = [](std::string_view) {};
    return PrepareNamedImage({context, quiet, environment::SecretMask(), {}, Deadline::After(5s)},
                             image);
  }
  bool Pulled() const {
    for (const std::string& call : docker_.Calls()) {
      if (call.starts_with("POST /images/create")) return true;
    }
    return false;
  }

  FakeDocker docker_;
  DockerOptions options_;
};

// The engine would ask whatever address a request names, and as root.
TEST_F(PullImageTest, AsksNoRegistryThatNobodyAllowed) {
  for (const char* image : {"127.0.0.1:28555/x/y:1", "localhost/x", "169.254.169.254/latest/x",
                            "10.1.2.3:80/x", "registry.example/x"}) {
    const auto prepared = Prepare(image);
    ASSERT_FALSE(prepared) << image;
    EXPECT_EQ(prepared.error().code(), ErrorCode::kPermissionDenied);
    EXPECT_THAT(prepared.error().message(), HasSubstr("--registries"));
  }
  EXPECT_FALSE(Pulled());
}

TEST_F(PullImageTest, AsksTheEnginesOwnAndTheNamedRegistries) {
  options_.registries = {"registry.example"};
  docker_.On("POST /images/create", 200, R"({"error":"manifest unknown"})");
  for (const char* image : {"debian:12", "registry.example/x", "mirror.example:5000/x"}) {
    const auto prepared = Prepare(image);
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().code(), ErrorCode::kNotFound) << prepared.error().message();
  }
  EXPECT_TRUE(Pulled());
}

TEST_F(PullImageTest, ShowsNothingOfWhatARegistryResponded) {
  docker_.On("POST /images/create", 200,
             R"({"error":"error parsing HTTP 200 response body: '<h1>an inner page</h1>'"})");
  const auto streamed = Prepare("debian:12");
  ASSERT_FALSE(streamed);
  EXPECT_THAT(streamed.error().message(), Not(HasSubstr("inner page")));
  docker_.On("POST /images/create", 500, R"({"message":"unexpected: <h1>an inner page</h1>"})");
  const auto refused = Prepare("debian:12");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), Not(HasSubstr("inner page")));
}

}  // namespace
}  // namespace mlprof::server::docker
