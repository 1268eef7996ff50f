// Loads under a simulated quota, judged as a verification judges them: whether a limit holds does
// not depend on the order in which the rows come.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "server/analysis/beside_reference.h"
#include "server/analysis/row_order.h"
#include "server/analysis/seeded_random.h"
#include "server/analysis/verdict.h"

namespace mlprof::server {
namespace {

constexpr double kPeriodMs = 100;
constexpr double kNoise = 0.01;  // of what a row waits

struct Row {
  double cpu_ms = 1;
  double sleep_ms = 0;
};
using Dataset = std::vector<Row>;

// One thread below a quota of so many cores; at 1 nothing stops it.
class Quota {
 public:
  explicit Quota(double cores) : per_period_(cores * kPeriodMs) {}

  void Sleep(double ms) { now_ += ms; }
  void Work(double ms) {
    while (ms > 0) {
      if (now_ >= end_) BeginPeriod();
      const double run = std::min({ms, per_period_ - used_, end_ - now_});
      now_ += run;
      used_ += run;
      ms -= run;
      if (ms > 0 && used_ >= per_period_ && now_ < end_) {
        now_ = end_;
        stopped_ = true;
        ++throttled_;
      }
    }
  }
  double now() const { return now_; }
  double throttled_share() const { return throttled_ / std::max(1.0, now_ / kPeriodMs); }
  bool TakeStopped() { return std::exchange(stopped_, false); }

 private:
  void BeginPeriod() {
    end_ = (std::floor(now_ / kPeriodMs) + 1) * kPeriodMs;
    used_ = 0;
  }

  double per_period_;
  double now_ = 0;
  double end_ = 0;
  double used_ = 0;
  double throttled_ = 0;
  bool stopped_ = false;
};

struct Load {
  Look look;
  double throttled_share = 0;
};

// Ten seconds, one row after the other, in a container's order; what counts of it.
Load Serve(const Dataset& rows, double cores, std::uint64_t container) {
  std::vector<std::uint32_t> cheapest_first(rows.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) cheapest_first[row] = row;
  const auto order = BlockedOrder(cheapest_first, container);
  SeededRandom random(container);
  Quota quota(cores);
  quota.Sleep(random.Between(0, kPeriodMs));
  const double began = quota.now();
  Load load;
  std::vector<Visit>& visits = load.look.visits;
  while (quota.now() - began < 10'000) {
    const std::uint32_t row = order[visits.size() % order.size()];
    const double due = quota.now();
    quota.Work(rows[row].cpu_ms);
    quota.Sleep(rows[row].sleep_ms * random.Between(1, 1 + kNoise));
    const auto us = static_cast<std::uint32_t>((quota.now() - due) * 1000);
    visits.push_back({row, us, quota.TakeStopped()});
  }
  load.look.requests_per_second = static_cast<double>(visits.size()) * 1000 / (quota.now() - began);
  load.throttled_share = quota.throttled_share();
  const std::size_t whole = RowsOfWholeBlocks(rows.size(), visits.size());
  if (whole < rows.size()) visits.resize(whole);
  return load;
}

Verdict JudgedAt(const Dataset& rows, double cores, std::uint64_t container) {
  const std::array<Look, 3> references = {Serve(rows, 1, 1000 + container).look,
                                          Serve(rows, 1, 2000 + container).look,
                                          Serve(rows, 1, 3000 + container).look};
  const Load load = Serve(rows, cores, container);
  const BesideReference beside = Compare(load.look, references);
  VerificationEvidence evidence;
  evidence.became_ready = true;
  evidence.requests = std::ssize(load.look.visits);
  evidence.throttled_share = load.throttled_share;
  evidence.p95_ms = beside.p95_ms;
  evidence.reference_p95_ms = beside.reference_p95_ms;
  evidence.at_edge = beside.at_edge;
  evidence.rate = beside.rate;
  evidence.reference_rate = beside.reference_rate;
  evidence.tail = beside.tail;
  return Judge(evidence, LatencyDistribution::ByRow(load.look.visits), {});
}

// The smallest step that three containers hold.
double AnswerOf(const Dataset& rows, std::uint64_t seed) {
  for (int tenths = 1; tenths < 10; ++tenths) {
    bool holds = true;
    for (std::uint64_t container = 1; container <= 3 && holds; ++container) {
      holds = JudgedAt(rows, tenths / 10.0, 10 * seed + container).passed;
    }
    if (holds) return tenths / 10.0;
  }
  return 1;
}

// One row in twenty takes 40 ms of CPU beside its sleep.
Dataset OneInTwenty(std::size_t count) {
  Dataset rows(count, Row{1, 50});
  for (std::size_t i = count - count / 20; i < count; ++i) rows[i].cpu_ms = 40;
  return rows;
}

TEST(JudgedLoadsTest, OneHeavyRowInTwentyHasOneAnswerForEverySeed) {
  for (const std::size_t count : {20U, 200U, 1000U}) {
    std::map<double, int> answers;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) ++answers[AnswerOf(OneInTwenty(count), seed)];
    EXPECT_EQ(answers.size(), 1U) << count << " rows: " << ::testing::PrintToString(answers);
    EXPECT_EQ(answers.begin()->first, 0.4) << count;
  }
}

TEST(JudgedLoadsTest, RowsOfOneMillisecondAreRefusedAtHalfACore) {
  const Dataset rows(20, Row{1, 0});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Verdict verdict = JudgedAt(rows, 0.5, seed);
    EXPECT_FALSE(verdict.passed);
    EXPECT_EQ(verdict.shortage, ResourceKind::kCpu);
    EXPECT_EQ(AnswerOf(rows, seed), 1);
  }
  // Their p95 alone holds there, and a p99 that is not asked for would let it pass.
  Objective objective;
  objective.latency_ms = {{"p95", 1.1}};
  const Load load = Serve(rows, 0.5, 1);
  VerificationEvidence evidence;
  evidence.became_ready = true;
  evidence.requests = std::ssize(load.look.visits);
  evidence.throttled_share = load.throttled_share;
  EXPECT_TRUE(Judge(evidence, LatencyDistribution::ByRow(load.look.visits), objective).passed);
}

TEST(JudgedLoadsTest, ALimitThatBindsNothingHoldsBesideANoisyReference) {
  const Dataset rows(20, Row{1, 50});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) EXPECT_EQ(AnswerOf(rows, seed), 0.1);
}

}  // namespace
}  // namespace mlprof::server
