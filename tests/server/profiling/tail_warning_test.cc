#include "server/profiling/run/tail_warning.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

constexpr Tail kSlowed{50.6, 1.1, 0.02, 0.02, false};

// Proven at half a core; the search also saw a core, which throttled nothing.
RunFacts ProvenAtHalfACore() {
  RunFacts facts;
  facts.cpu.emplace();
  CpuPoint half;
  half.cpu = Cores(0.5);
  half.throttled_share = 1;
  CpuPoint whole;
  whole.cpu = Cores(1.0);
  facts.cpu->curve.points = {half, whole};
  phases::Proof proof;
  proof.limits = {Cores(0.5), MiB(64)};
  proof.passes.resize(3);
  facts.verification.emplace().proof = proof;
  return facts;
}

TEST(TailWarningTest, IsSilentWhereTheQuotaSlowsNoTail) {
  EXPECT_FALSE(TailWarning({}));
  EXPECT_FALSE(TailWarning(ProvenAtHalfACore()));
}

TEST(TailWarningTest, TellsOfAThrottledTailAndTheLimitThatStoppedNothing) {
  RunFacts facts = ProvenAtHalfACore();
  facts.verification->proof->passes[1].verdict.tail = kSlowed;
  const auto warning = TailWarning(facts);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->code, "tailThrottled");
  EXPECT_NE(warning->message.find("p99 was 50.6 ms, against 1.1 ms"), std::string::npos);
  EXPECT_NE(warning->advice.find("1.0 cores"), std::string::npos);
}

TEST(TailWarningTest, TellsWhereTheTailDecided) {
  RunFacts facts = ProvenAtHalfACore();
  facts.verification->failed = {{{Cores(0.4), MiB(64)}, ResourceKind::kCpu, kSlowed}};
  const auto warning = TailWarning(facts);
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->message.find("at 0.4 cores p95 held"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
