#include <gtest/gtest.h>

#include "server/runtime/environment/image_reference.h"

namespace mlprof::server::environment {
namespace {

const std::string kDigest = "sha256:" + std::string(64, 'a');

TEST(ImageReferenceTest, SplitsNameAndTag) {
  EXPECT_EQ(*ParseImageReference("nginx"), (ImageReference{"nginx", "latest"}));
  EXPECT_EQ(*ParseImageReference("host:5000/a/b:1.2"), (ImageReference{"host:5000/a/b", "1.2"}));
  EXPECT_EQ(*ParseImageReference("host:5000/a"), (ImageReference{"host:5000/a", "latest"}));
  EXPECT_EQ(*ParseImageReference("a/b@" + kDigest), (ImageReference{"a/b", kDigest}));
  EXPECT_EQ(*ParseImageReference("a/b:1@" + kDigest), (ImageReference{"a/b", kDigest}));
  EXPECT_EQ(*ParseImageReference(kDigest), (ImageReference{"", kDigest}));
}

TEST(ImageReferenceTest, RefusesWhatNamesNoImage) {
  for (const char* text : {"", "a b", "a\nFROM x", "../x", "/x", "-x", "a//b", "x:", "x@sha256:1",
                           "a?b", "a:1:2", "a#b", "a&fromSrc=-"}) {
    EXPECT_FALSE(ParseImageReference(text)) << text;
  }
}

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
