#include "server/azure/blobs/blob_path.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

TEST(BlobPath, TakesRelativePathsOnly) {
  EXPECT_EQ(CheckBlobPath("a"), "");
  EXPECT_EQ(CheckBlobPath("sample data/x.txt"), "");
  EXPECT_EQ(CheckBlobPath("größe/x..y/.hidden"), "");
  for (const std::string bad :
       {"", "/a", "a/", "a//b", "..", "a/../b", "a/.", "a\\b", "a\nb", "a\x7f"}) {
    EXPECT_NE(CheckBlobPath(bad), "") << bad;
  }
  EXPECT_NE(CheckBlobPath(std::string("a\0b", 3)), "");
  EXPECT_NE(CheckBlobPath(std::string(1025, 'a')), "");
  std::string deep = "a";
  for (int i = 0; i < 64; ++i) deep += "/a";
  EXPECT_NE(CheckBlobPath(deep), "");
}

TEST(BlobPath, LiesAtOrBelowByWholeParts) {
  EXPECT_TRUE(IsAtOrBelow("a/b", "a/b"));
  EXPECT_TRUE(IsAtOrBelow("a/b/c", "a/b"));
  EXPECT_FALSE(IsAtOrBelow("a/bc", "a/b"));
  EXPECT_FALSE(IsAtOrBelow("a", "a/b"));
}

TEST(BlobPath, AStarStaysWithinAPart) {
  EXPECT_TRUE(MatchesGlob("g/a.txt", "g/*.txt"));
  EXPECT_TRUE(MatchesGlob("g/abcab", "g/*ab"));
  EXPECT_TRUE(MatchesGlob("g/a", "*/a"));
  EXPECT_FALSE(MatchesGlob("g/h/a.txt", "g/*.txt"));
  EXPECT_FALSE(MatchesGlob("g/a.txtx", "g/*.txt"));
  EXPECT_FALSE(MatchesGlob("g", "g/*"));
}

TEST(BlobPath, TwoStarsCrossParts) {
  EXPECT_TRUE(MatchesGlob("g/a.txt", "g/**"));
  EXPECT_TRUE(MatchesGlob("g/h/i/a.txt", "g/**/a.txt"));
  EXPECT_TRUE(MatchesGlob("g/a.txt", "g/**/a.txt"));
  EXPECT_FALSE(MatchesGlob("g/xa.txt", "g/**/a.txt"));
  EXPECT_FALSE(MatchesGlob("h/a.txt", "g/**"));
}

TEST(BlobPath, ManyStarsTakeNoLonger) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_FALSE(MatchesGlob(std::string(1000, 'a') + "b", pattern));
  std::string crossing = "**";
  for (int i = 0; i < 200; ++i) crossing += "/**";
  EXPECT_TRUE(MatchesGlob("a/b/c", crossing));
}

}  // namespace
}  // namespace mlprof::server
