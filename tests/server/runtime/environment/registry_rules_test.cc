#include "server/runtime/environment/registry_rules.h"

#include <gtest/gtest.h>

namespace mlprof::server::environment {
namespace {

TEST(RegistryRules, ReadTheRegistryAsTheEngineDoes) {
  EXPECT_EQ(RegistryOf("debian"), "");
  EXPECT_EQ(RegistryOf("library/debian"), "");
  EXPECT_EQ(RegistryOf("registry.example/team/model"), "registry.example");
  EXPECT_EQ(RegistryOf("Registry.Example:5000/model"), "registry.example:5000");
  EXPECT_EQ(RegistryOf("localhost/model"), "localhost");
  EXPECT_EQ(RegistryOf("BOX/model"), "box");
  EXPECT_EQ(RegistryOf("127.0.0.1:28555/x/y"), "127.0.0.1:28555");
}

TEST(RegistryRules, AllowTheEnginesOwnAndTheNamedOnes) {
  EXPECT_TRUE(MayPullFrom("", {}));
  for (const char* registry : {"127.0.0.1:28555", "localhost", "169.254.169.254", "10.0.0.1:80",
                               "box", "registry.example"}) {
    EXPECT_FALSE(MayPullFrom(registry, {})) << registry;
    EXPECT_FALSE(MayPullFrom(registry, {"other.example"})) << registry;
    EXPECT_TRUE(MayPullFrom(registry, {"*"})) << registry;
  }
  EXPECT_TRUE(MayPullFrom("registry.example", {"Registry.Example"}));
  EXPECT_FALSE(MayPullFrom("registry.example:5000", {"registry.example"}));
}

}  // namespace
}  // namespace mlprof::server::environment
