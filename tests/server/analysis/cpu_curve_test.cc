#include "server/analysis/cpu_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "server/analysis/seeded_random.h"

namespace mlprof::server {
namespace {

struct Amdahl {
  double serial = 0;
  double work = 0;
  double parallelism = 1;
  double At(double cores) const { return serial + work / std::min(cores, parallelism); }
};

CpuPoint PointAt(Cores cpu, double mean_ms) {
  CpuPoint point;
  point.cpu = cpu;
  point.mean_ms = mean_ms;
  return point;
}

TEST(CpuCurveTest, FindsTheLawItIsGiven) {
  const Amdahl model{4, 30, 2};
  std::vector<CpuPoint> points;
  for (const double cores : {4.0, 0.2, 1.0, 0.5, 2.0}) {
    points.push_back(PointAt(Cores(cores), model.At(cores)));
  }
  const CpuCurve curve = FitCpuCurve(points);
  EXPECT_NEAR(curve.serial_ms.value_or(-1), 4, 1e-6);
  EXPECT_NEAR(curve.work_ms.value_or(-1), 30, 1e-6);
  EXPECT_EQ(curve.parallelism, 2);
  EXPECT_NEAR(curve.relative_error.value_or(-1), 0, 1e-6);
  EXPECT_EQ(curve.points.front().cpu, Cores(0.2));
  EXPECT_NEAR(MeanMsAt(curve, Cores(0.4)).value_or(-1), 79, 1e-6);
  EXPECT_EQ(MeanMsAt(curve, Cores(0.1)), std::nullopt);
  EXPECT_EQ(MeanMsAt(curve, Cores(4.1)), std::nullopt);
}

TEST(CpuCurveTest, TakesTheLeastParallelismThatExplains) {
  const Amdahl model{0, 20, 32};
  const CpuCurve curve =
      FitCpuCurve({PointAt(Cores(0.5), model.At(0.5)), PointAt(Cores(1.0), model.At(1)),
                   PointAt(Cores(2.0), model.At(2))});
  EXPECT_EQ(curve.parallelism, 2);
}

TEST(CpuCurveTest, NeverGivesNegativeParts) {
  const CpuCurve steep = FitCpuCurve({PointAt(Cores(0.5), 100), PointAt(Cores(1.0), 20)});
  EXPECT_EQ(steep.serial_ms, 0);
  const CpuCurve rising = FitCpuCurve({PointAt(Cores(0.5), 20), PointAt(Cores(1.0), 30)});
  EXPECT_EQ(rising.work_ms, 0);
}

TEST(CpuCurveTest, HasNoLawOfOneLimit) {
  const CpuCurve curve = FitCpuCurve({PointAt(Cores(1.0), 20), PointAt(Cores(1.0), 21)});
  EXPECT_FALSE(curve.serial_ms);
  EXPECT_EQ(MeanMsAt(curve, Cores(1.0)), std::nullopt);
  EXPECT_EQ(MeanMsAt(FitCpuCurve({}), Cores(1.0)), std::nullopt);
}

// The smallest limit on the grid whose latency is at most `limit_ms`.
template <class Latency>
int SmallestTenths(double limit_ms, int ceiling_tenths, const Latency& latency) {
  for (int tenths = 1; tenths < ceiling_tenths; ++tenths) {
    if (latency(tenths / 10.0) <= limit_ms) return tenths;
  }
  return ceiling_tenths;
}

// Five probes, each the median of three windows with 5% noise, of random Amdahl models; an
// objective somewhere on the curve. Missed: the limit that the fit chooses is more than a tenth
// slower than allowed.
TEST(CpuCurveTest, SeldomChoosesALimitTooLowOnNoisyModels) {
  constexpr int kModels = 3000;
  constexpr int kCeilingTenths = 40;
  constexpr std::array<double, 5> kProbes = {0.1, 0.3, 0.6, 1.6, 4.0};
  SeededRandom random(7);
  int missed = 0;
  for (int i = 0; i < kModels; ++i) {
    const Amdahl model{random.Between(0, 20), random.Between(5, 80),
                       std::exp2(static_cast<double>(random.Index(4)))};
    std::vector<CpuPoint> points;
    for (const double cores : kProbes) {
      std::array<double, 3> windows{};
      for (double& window : windows) window = model.At(cores) * (1 + 0.05 * random.Normal());
      std::sort(windows.begin(), windows.end());
      points.push_back(PointAt(Cores(cores), windows[1]));
    }
    const CpuCurve curve = FitCpuCurve(points);
    const double limit_ms = model.At(random.Between(0.2, 3.9)) * 1.02;
    const int chosen = SmallestTenths(limit_ms, kCeilingTenths, [&](double cores) {
      return MeanMsAt(curve, Cores(cores)).value_or(1e9);
    });
    missed += model.At(chosen / 10.0) > 1.10 * limit_ms;
  }
  EXPECT_LE(missed, kModels * 2 / 100);
}

CpuCurve CurveOf(const Amdahl& model, double most) {
  std::vector<CpuPoint> points;
  for (double cores = 0.5; cores <= most; cores *= 2) {
    points.push_back(PointAt(Cores(cores), model.At(cores)));
  }
  return FitCpuCurve(std::move(points));
}

TEST(CpuCurveTest, HasItsKneeWhereDoublingTheCoresBringsHalf) {
  EXPECT_EQ(KneeBelow(CurveOf({2, 18, 64}, 64), Cores(35)), Cores(9.0));
  EXPECT_EQ(KneeBelow(CurveOf({2, 18, 32}, 32), Cores(26)), Cores(9.0));
  // Up to two cores all is given.
  EXPECT_EQ(KneeBelow(CurveOf({10, 10, 8}, 8), Cores(4)), kKneeFrom);
  EXPECT_EQ(KneeBelow(CurveOf({10, 10, 8}, 8), Cores(1.9)), std::nullopt);
}

TEST(CpuCurveTest, HasItsKneeNowhereBelowWhatTheStartTakes) {
  EXPECT_EQ(KneeBelow(CurveOf({2, 18, 64}, 64), Cores(35), Cores(12)), Cores(12.0));
  EXPECT_EQ(KneeBelow(CurveOf({2, 18, 64}, 64), Cores(35), Cores(35)), std::nullopt);
}

TEST(CpuCurveTest, HasNoKneeWhereAllOfItScales) {
  EXPECT_EQ(KneeBelow(CurveOf({0, 20, 64}, 64), Cores(58)), std::nullopt);
}

TEST(CpuCurveTest, HasNoKneeWhereTheLawSaysLittle) {
  CpuCurve curve = CurveOf({2, 18, 64}, 64);
  curve.relative_error = 0.3;
  EXPECT_EQ(KneeBelow(curve, Cores(35)), std::nullopt);
  EXPECT_EQ(KneeBelow({}, Cores(35)), std::nullopt);
}

// By a hundred requests and more.
CpuPoint Served(Cores cpu, double mean_ms) {
  CpuPoint point = PointAt(cpu, mean_ms);
  point.p99_ms = mean_ms;
  return point;
}

TEST(FasterWithFewerCoresTest, IsTheFastestWhereTheMostCoresAreClearlySlower) {
  const auto fewer = FasterWithFewerCores({Served(Cores(0.5), 4), Served(Cores(1.0), 2),
                                           Served(Cores(1.3), 2.1), Served(Cores(4.0), 2.6)});
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer->cpu, Cores(1.0));
}

TEST(FasterWithFewerCoresTest, IsNoneWhereTheyDifferAsEqualRunsDo) {
  EXPECT_FALSE(FasterWithFewerCores({}));
  EXPECT_FALSE(FasterWithFewerCores({Served(Cores(1.0), 2)}));
  EXPECT_FALSE(FasterWithFewerCores({Served(Cores(1.0), 2), Served(Cores(4.0), 2.3)}));
  EXPECT_FALSE(FasterWithFewerCores({Served(Cores(1.0), 4), Served(Cores(4.0), 2)}));
}

TEST(FasterWithFewerCoresTest, IsNoneByAFewRequestsWhoseRowsMayDiffer) {
  const CpuPoint few = PointAt(Cores(1.0), 2);
  EXPECT_FALSE(FasterWithFewerCores({few, Served(Cores(4.0), 4)}));
  EXPECT_FALSE(FasterWithFewerCores({Served(Cores(1.0), 2), PointAt(Cores(4.0), 4)}));
}

}  // namespace
}  // namespace mlprof::server
