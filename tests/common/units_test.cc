#include "common/domain/limits.h"
#include "common/domain/recommendation.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

TEST(CoresTest, KeepsTheGridExact) {
  EXPECT_EQ(Cores(0.1) + Cores(0.2), Cores(0.3));
  EXPECT_EQ(Cores(0.31).RoundUpToGrid(), Cores(0.4));
  EXPECT_EQ(Cores(0.3).RoundUpToGrid(), Cores(0.3));
  EXPECT_FALSE(Cores(0.35).OnGrid());
}

TEST(BytesTest, RoundsUpToAQuantum) {
  EXPECT_EQ(RoundUp(Bytes(1), MiB(16)), MiB(16));
  EXPECT_EQ(RoundUp(MiB(32), MiB(16)), MiB(32));
}

TEST(BytesTest, GibIsExactForQuanta) {
  for (int i = 2; i < 4096; ++i) {
    const Bytes bytes = MiB(std::int64_t{16} * i);
    EXPECT_EQ(BytesFromGib(bytes.gib()), bytes);
  }
}

TEST(RecommendationTagsTest, HoldTheExactAnswer) {
  Recommendation recommendation;
  recommendation.requested = {Cores(0.4), MiB(272)};
  const auto tags = RecommendationTags(recommendation);
  EXPECT_EQ(tags.at("requestedCpu"), "0.4");
  EXPECT_EQ(BytesFromGib(std::stod(tags.at("requestedMemoryInGb"))), MiB(272));
}

}  // namespace
}  // namespace mlprof
