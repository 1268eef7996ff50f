#include "server/runtime/docker/pull_failure.h"

#include <gtest/gtest.h>

namespace mlprof::server::docker {
namespace {

TEST(PullFailureTest, IsToldInOurOwnWords) {
  EXPECT_EQ(PullFailure("Get https://r.example/v2/: dial tcp 127.0.0.1:1: connect: connection "
                        "refused"),
            "nothing listens there");
  EXPECT_EQ(PullFailure("manifest for r.example/x:1 not found: manifest unknown"),
            "it has no such tag");
  const std::string page = PullFailure(
      "error parsing HTTP 200 response body: invalid character "
      "'<': \"<html>the secret of an inner page</html>\"");
  EXPECT_EQ(page.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server::docker
