#include "client/cli/output/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Profile After() {
  Profile profile = SucceededProfile(true);
  profile.id = "4567";
  profile.request.name = "p2";
  profile.recommendation->requested = {Cores(0.5), MiB(448)};
  profile.recommendation->tight = std::nullopt;
  profile.measurements->latency_p95_ms = 10.7;
  profile.findings.memory.emplace().trend = MemoryTrend::kFlat;
  return profile;
}

const ComparedFigure* Find(const Comparison& comparison, const std::string& name) {
  for (const ComparedFigure& figure : comparison.figures) {
    if (figure.name == name) return &figure;
  }
  return nullptr;
}

TEST(ComparisonTest, TellsTheChangeInUnitsAndPercent) {
  const Comparison comparison = Compare(SucceededProfile(true), After());
  EXPECT_THAT(comparison.not_comparable, IsEmpty());
  EXPECT_EQ(Find(comparison, "recommendation.requestedCpu")->shown_change, "+0.1 cores (+25%)");
  EXPECT_EQ(Find(comparison, "recommendation.requestedMemoryInBytes")->shown_change,
            "-64 MiB (-12.5%)");
  EXPECT_EQ(Find(comparison, "measurements.latencyPercentile95InMs")->shown_change,
            "-10.7 ms (-50%)");
  EXPECT_EQ(Find(comparison, "measurements.startSeconds")->shown_change, "");
  ExpectGolden("cli/compared.table", ComparisonDetails(comparison));
}

TEST(ComparisonTest, TellsWhatOnlyOneOfThemHas) {
  const Comparison comparison = Compare(SucceededProfile(true), After());
  EXPECT_EQ(Find(comparison, "findings.memory.trend")->shown_before, "-");
  EXPECT_EQ(Find(comparison, "findings.memory.trend")->shown_after, "flat");
  EXPECT_EQ(Find(comparison, "recommendation.tight")->shown_after, "-");
  EXPECT_EQ(Find(comparison, "findings.killingRows"), nullptr);
  EXPECT_EQ(Find(comparison, "findings.threadPools.gain"), nullptr);
}

TEST(ComparisonTest, LeavesOutPercentsOfNothing) {
  Profile before = SucceededProfile(true);
  before.findings.cpu.emplace().serial_ms = 0;
  Profile after = before;
  after.findings.cpu->serial_ms = 2.5;
  const Comparison comparison = Compare(before, after);
  EXPECT_EQ(Find(comparison, "findings.cpu.serialInMs")->shown_change, "+2.5 ms");
  const Json json = ComparisonJson(comparison);
  for (const Json& figure : json["figures"]) {
    if (figure["name"] != "findings.cpu.serialInMs") continue;
    EXPECT_EQ(figure["change"], 2.5);
    EXPECT_TRUE(figure["changeInPercent"].is_null());
  }
}

TEST(ComparisonTest, SaysWhyTwoProfilesAreNotComparable) {
  Profile before = SucceededProfile(true);
  before.host = HostFacts{"one CPU", 2, GiB(8), 2, true, "quiet"};
  Profile after = After();
  after.host = HostFacts{"other CPU", 2, GiB(8), 2, true, "other work used 0.5 cores"};
  after.request.objective.concurrency = 4;
  after.request.input_dataset_id = "requests:2";
  const Comparison comparison = Compare(before, after);
  EXPECT_THAT(comparison.not_comparable,
              ElementsAre("different hosts: one CPU, 2 cores and other CPU, 2 cores",
                          "different objectives: 1 at a time and 4 at a time",
                          "different datasets: requests:1 and requests:2"));
  EXPECT_THAT(comparison.reservations,
              ElementsAre("p2 was measured on a noisy host: other work used 0.5 cores"));
  EXPECT_EQ(ComparisonJson(comparison)["comparable"], false);
  EXPECT_THAT(ComparisonDetails(comparison), HasSubstr("NOT COMPARABLE"));
}

TEST(ComparisonTest, ComparesNoisyRunsAndMarksWhatMayBeNoise) {
  Profile before = SucceededProfile(true);
  before.host = HostFacts{"one CPU", 2, GiB(8), 2, true, "other work used 0.3 cores"};
  Profile after = After();
  after.host = before.host;
  after.measurements->latency_p50_ms = *before.measurements->latency_p50_ms * 1.1;
  const Comparison comparison = Compare(before, after);
  EXPECT_THAT(comparison.not_comparable, IsEmpty());
  EXPECT_EQ(comparison.reservations.size(), 2U);
  const Json json = ComparisonJson(comparison);
  EXPECT_EQ(json["comparable"], true);
  EXPECT_EQ(json["reservations"].size(), 2U);
  // A tenth slower may be the host; half as slow is not, and memory is not the noise's at all.
  EXPECT_TRUE(Find(comparison, "measurements.latencyPercentile50InMs")->within_noise);
  EXPECT_FALSE(Find(comparison, "measurements.latencyPercentile95InMs")->within_noise);
  EXPECT_FALSE(Find(comparison, "recommendation.requestedMemoryInBytes")->within_noise);
  EXPECT_THAT(ComparisonDetails(comparison),
              AllOf(HasSubstr("Comparable with low confidence"), HasSubstr("within the noise"),
                    Not(HasSubstr("NOT COMPARABLE"))));
}

TEST(ComparisonTest, TakesASmallDriftOfAQuietHostForNoDifference) {
  Profile before = SucceededProfile(true);
  before.host = HostFacts{"one CPU", 2, GiB(8), 2, true, "quiet"};
  Profile after = before;
  after.host->noise = "quiet, but the same measurement differed by 8% within the run";
  EXPECT_TRUE(Compare(before, after).not_comparable.empty());
}

TEST(ComparisonTest, TellsTwoRunsOfOneNameApartByTheirIds) {
  Profile again = SucceededProfile(true);
  again.id = "89ab";
  const Comparison comparison = Compare(SucceededProfile(true), again);
  EXPECT_EQ(comparison.before, "0123");
  EXPECT_EQ(comparison.after, "89ab");
}

class CompareCommandTest : public CliTest {};

TEST_F(CompareCommandTest, PrintsEveryFormatAndTellsAMissingProfile) {
  server_->On("GET /profiles/p1", 200, Text(EncodeProfile(SucceededProfile(true))));
  server_->On("GET /profiles/p2", 200, Text(EncodeProfile(After())));
  const Outcome json = Run({"profile", "compare", "p1", "p2", "-o", "json"});
  EXPECT_EQ(json.status, 0) << json.err;
  const Json parsed = ParseJson(json.out).value();
  EXPECT_EQ(parsed["after"], "p2");
  EXPECT_EQ(parsed["comparable"], true);
  EXPECT_THAT(parsed["figures"], Contains(Json{{"name", "state"},
                                               {"before", "Succeeded"},
                                               {"after", "Succeeded"},
                                               {"change", nullptr},
                                               {"changeInPercent", nullptr},
                                               {"withinNoise", false}}));
  EXPECT_THAT(Run({"profile", "compare", "p1", "p2", "-o", "tsv"}).out,
              HasSubstr("CPU to request\t0.4 cores\t0.5 cores\t+0.1 cores (+25%)\n"));
  EXPECT_EQ(Run({"profile", "compare", "p1", "p2"}).out,
            ComparisonDetails(Compare(SucceededProfile(true), After())));
  EXPECT_EQ(Run({"profile", "compare", "p1", "nosuch"}).status, 3);
  EXPECT_EQ(Run({"profile", "compare", "nosuch", "p1"}).status, 3);
  EXPECT_EQ(Run({"profile", "compare", "p1"}).status, 2);
}

}  // namespace
}  // namespace mlprof::client::cli
