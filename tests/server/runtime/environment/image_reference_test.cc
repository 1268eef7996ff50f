#include "server/runtime/environment/image_reference.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mlprof::server::environment
