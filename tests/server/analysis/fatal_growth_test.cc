#include "server/analysis/fatal_growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "server/analysis/seeded_random.h"

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;

constexpr Bytes kLimit = GiB(2);
constexpr milliseconds kSampled{10};

// A container's life: its level in MiB by the seconds since its first request, sampled 100 times a
// second with half a MiB of noise each way, until it reaches the limit. `before` seconds it starts.
struct Life {
  std::function<double(double)> level;
  double requests_per_second = 500;
  double longest = 60;
  double before = 2;
  std::function<double(double)> starting = [](double) { return 100.0; };
};

struct Lived {
  std::vector<Sample> samples;
  std::vector<RequestStretch> served;
  std::optional<FatalGrowth> growth() const { return GrowthWatchedAfter(0); }
  std::optional<FatalGrowth> GrowthWatchedAfter(std::size_t stretches) const {
    return FindFatalGrowth(samples, served, std::span(served).subspan(stretches), kLimit);
  }
};

Sample At(double at, double mib) {
  Sample sample;
  sample.at = milliseconds(static_cast<std::int64_t>(at * 1000));
  sample.unreclaimable = Bytes(static_cast<std::int64_t>(mib * 1024 * 1024));
  return sample;
}

// Replays of three seconds, the last of which ends a while after the kill.
Lived Live(const Life& life) {
  SeededRandom random(7);
  Lived lived;
  const double step = std::chrono::duration<double>(kSampled).count();
  for (double at = 0; at < life.before; at += step) {
    lived.samples.push_back(At(at, life.starting(at)));
  }
  double died = life.longest;
  for (double at = 0; at < life.longest; at += step) {
    const double mib = life.level(at) + random.Between(-0.5, 0.5);
    if (mib >= kLimit.mib()) {
      died = at;
      break;
    }
    lived.samples.push_back(At(life.before + at, mib));
  }
  for (const double late : {0.01, 0.02, 0.1}) {
    Sample left = At(life.before + died + late, 5);
    left.oom_kills = 1;
    lived.samples.push_back(left);
  }
  for (double at = 0; at < died; at += 3) {
    const double took = std::min(3.0, died - at);
    const auto began = milliseconds(static_cast<std::int64_t>((life.before + at) * 1000));
    const auto ran = milliseconds(static_cast<std::int64_t>(took * 1000));
    lived.served.push_back(
        {began, began + ran, static_cast<std::int64_t>(took * life.requests_per_second)});
  }
  return lived;
}

TEST(FatalGrowthTest, IsToldOfALeakThatReachesTheCeilingWithinSeconds) {
  // 256 KiB a request at 500 a second: the limit after 15 s.
  const auto growth = Live({[](double at) { return 130 + 125 * at; }}).growth();
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->bytes_per_request, 256 * 1024, 4000);
  EXPECT_NEAR(static_cast<double>(growth->requests), 500 * 15.3, 200);
  EXPECT_EQ(growth->limit, kLimit);
}

TEST(FatalGrowthTest, CountsWhatWasServedBeforeItWasWatched) {
  const Lived lived = Live({[](double at) { return 130 + 125 * at; }});
  const auto growth = lived.GrowthWatchedAfter(1);
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->requests, lived.growth()->requests);
}

TEST(FatalGrowthTest, IsToldOfAModelThatDiesAsSoonAsItIsWatched) {
  const Lived lived = Live({[](double at) { return 130 + 125 * at; }});
  const std::size_t all = lived.served.size();
  EXPECT_TRUE(lived.GrowthWatchedAfter(all));
  EXPECT_EQ(lived.GrowthWatchedAfter(all), lived.growth());
}

TEST(FatalGrowthTest, IsToldOfAFasterAndOfASlowerLeak) {
  EXPECT_TRUE(Live({[](double at) { return 130 + 900 * at; }}).growth());
  EXPECT_TRUE(Live({[](double at) { return 1200 + 16 * at; }}).growth());
}

TEST(FatalGrowthTest, IsToldOfALeakAfterAWarmUp) {
  EXPECT_TRUE(Live({[](double at) { return 100 + 300 * (1 - std::exp(-at)) + 60 * at; }}).growth());
}

TEST(FatalGrowthTest, OneHeavyRowIsNone) {
  EXPECT_FALSE(Live({[](double at) { return at < 30 ? 200 : 3000; }}).growth());
  EXPECT_FALSE(Live({[](double at) { return at < 30 ? 1700 : 3000; }}).growth());
}

TEST(FatalGrowthTest, AHeavyRowThatKillsAModelThatAlsoLeaksALittleIsNone) {
  EXPECT_FALSE(Live({[](double at) { return at < 30 ? 200 + 2 * at : 3000; }}).growth());
}

TEST(FatalGrowthTest, ACacheThatFillsToItsBoundIsNone) {
  // 64 KiB for each of 24,000 inputs, and some time after it is full a heavy row.
  const auto cache = [](double at) {
    return at < 50 ? 200 + std::min(1500.0, 1500 * at / 20) : 3000;
  };
  EXPECT_FALSE(Live({cache}).growth());
  const auto pools = [](double at) {
    return at < 50 ? 200 + 1600 * (1 - std::exp(-at / 6)) : 3000;
  };
  EXPECT_FALSE(Live({pools}).growth());
}

TEST(FatalGrowthTest, MemoryThatRisesOnlyWhileItStartsIsNone) {
  Life life{[](double at) { return at < 20 ? 1800 : 3000; }};
  life.before = 20;
  life.starting = [](double at) { return 90 * at; };
  EXPECT_FALSE(Live(life).growth());
}

TEST(FatalGrowthTest, ALifeOfAFewRequestsTellsNothing) {
  Life life{[](double at) { return 100 + 2000 * at; }};
  EXPECT_TRUE(Live(life).growth() == std::nullopt || Live(life).growth()->requests > 400);
  life.requests_per_second = 3;
  EXPECT_FALSE(Live(life).growth());
  EXPECT_FALSE(Lived().growth());
}

TEST(FatalGrowthTest, SaysHowManyRequestsItLivesForAtWhichLimit) {
  const FatalGrowth growth{256 * 1024.0, 7600, kLimit};
  EXPECT_EQ(growth.RequestsAt(kLimit), 7600);
  EXPECT_EQ(growth.RequestsAt(GiB(4)), 7600 + 8192);
  EXPECT_EQ(growth.RequestsAt(MiB(1)), 0);
  EXPECT_EQ(GrowthText(growth, 20),
            "memory grew by 256.0 KiB a request until the kernel killed the model for memory: it "
            "lived for 7600 requests at the limit of 2048 MiB, and would for about 15792 at "
            "4096 MiB");
  const ProfileError error = DiagnoseGrowth(growth, 20, "log");
  EXPECT_EQ(error.code, "OutOfMemory");
  EXPECT_EQ(error.evidence, "log");
}

TEST(FatalGrowthTest, OfRowsThatCameOnceMayBeACache) {
  const FatalGrowth growth{256 * 1024.0, 7600, kLimit};
  EXPECT_NE(GrowthText(growth, 10'000).find("may be a cache of inputs"), std::string::npos);
  EXPECT_EQ(GrowthText(growth, 20).find("cache"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
