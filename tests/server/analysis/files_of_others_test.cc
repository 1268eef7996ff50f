#include "server/analysis/files_of_others.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

std::vector<Sample> Telling(const std::vector<Bytes>& told) {
  std::vector<Sample> samples;
  for (const Bytes bytes : told) {
    samples.emplace_back();  // most tell nothing of it
    samples.emplace_back().uncharged_file = bytes;
  }
  return samples;
}

TEST(FilesOfOthersTest, AreWhatMostSamplesTell) {
  EXPECT_EQ(FilesOfOthers(Telling({MiB(0), MiB(300), MiB(300)}), GiB(1)), MiB(300));
  EXPECT_EQ(FilesOfOthers(Telling({MiB(0), MiB(0), MiB(300)}), GiB(1)), Bytes())
      << "one was a moment old";
}

TEST(FilesOfOthersTest, AreNoneWhereNothingTellsOrItIsLessThanAStep) {
  EXPECT_EQ(FilesOfOthers({}, GiB(1)), Bytes());
  EXPECT_EQ(FilesOfOthers(std::vector<Sample>(3), GiB(1)), Bytes());
  EXPECT_EQ(FilesOfOthers(Telling({MiB(15)}), MiB(64)), Bytes());
  EXPECT_EQ(FilesOfOthers(Telling({MiB(17)}), MiB(64)), MiB(17));
  EXPECT_EQ(FilesOfOthers(Telling({MiB(17)}), GiB(1)), Bytes());
}

}  // namespace
}  // namespace mlprof::server
