// `mlprof what-if NAME …`.
#include <gmock/gmock.h>

#include "common/json/no_answer_json.h"
#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WhatIfTest : public CliTest {
 protected:
  WhatIfTest() {
    Profile profile = SucceededProfile(true);
    profile.request.objective.concurrency = 2;
    profile.request.objective.latency_ms = {{"p95", 50}};
    server_->On("GET /profiles/p1", 200, Text(EncodeProfile(profile)));
    Answers(true);
  }
  void Answers(bool measured) {
    Json answer = EncodeRecommendation(SomeAnswer(false));
    answer["withinMeasured"] = measured;
    answer["notes"] = {"the rate is above the measured knee", "two \x1b[2J"};
    server_->On("POST /profiles/0123/what-if", 200, Text(answer));
  }
  Json Asked() {
    return ParseJson(server_->Asked("POST /profiles/0123/what-if").back().body).value();
  }
};

TEST_F(WhatIfTest, PrintsTheAnswerItsNotesAndWhatWasNotMeasured) {
  Answers(false);
  const Outcome outcome = Run({"what-if", "p1", "--rps", "40"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ExpectGolden("cli/what_if.table", outcome.out);
  EXPECT_THAT(Run({"what-if", "p1", "-o", "tsv"}).out, HasSubstr("0.4\t512 MiB\tno\thigh\n"));
  Answers(true);
  EXPECT_THAT(Run({"what-if", "p1"}).out, HasSubstr("measured         yes"));
}

TEST_F(WhatIfTest, TellsWhereThereIsNoAnswerAndWhatCameNearest) {
  NearestRun nearest;
  nearest.limits = {Cores(2.0), GiB(4)};
  nearest.concurrency = 4;
  nearest.latency_p95_ms = 96.5;
  nearest.queries_per_second = 44.6;
  nearest.short_of = "500.0 requests per second are more than 44.6";
  const Json json = {{"recommendation", nullptr},
                     {"noAnswer", EncodeNoAnswer({kBeyondMeasured, nearest.short_of, nearest})},
                     {"withinMeasured", false},
                     {"notes", Json::array()}};
  server_->On("POST /profiles/0123/what-if", 200, Text(json));
  const Outcome outcome = Run({"what-if", "p1", "--rps", "500"});
  EXPECT_EQ(outcome.status, 6) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("No answer for 500 requests/s"));
  EXPECT_THAT(outcome.out, HasSubstr("  500.0 requests per second are more than 44.6\n"));
  EXPECT_THAT(outcome.out, HasSubstr("came nearest     2 cores, 4096 MiB: 44.6 requests/s with 4 "
                                     "at a time, p95 96.5 ms\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("sustains")));
  EXPECT_EQ(Run({"what-if", "p1", "-o", "tsv"}).out, "-\t-\tno\t-\n");
  EXPECT_EQ(ParseJson(Run({"what-if", "p1", "-o", "json"}).out).value(), json);
}

TEST_F(WhatIfTest, WrapsLongLinesOnATerminalOnly) {
  const std::string whole = "within what the profile measured; nothing was run for it";
  EXPECT_THAT(Run({"what-if", "p1"}).out, HasSubstr(whole));
  on_terminal_ = true;
  EXPECT_THAT(Run({"what-if", "p1"}).out,
              HasSubstr("  measured         yes: within what the profile measured;\n"
                        "                   nothing was run for it\n"));
  const auto json = ParseJson(Run({"what-if", "p1", "-o", "json"}).out);
  EXPECT_TRUE(json);
}

TEST_F(WhatIfTest, PrintsTheServersAnswerAsJson) {
  const Json answer = ParseJson(Run({"what-if", "p1", "-o", "json"}).out).value();
  EXPECT_EQ(answer["requestedCpu"], 0.4);
  EXPECT_EQ(answer["withinMeasured"], true);
  EXPECT_EQ(answer["notes"].size(), 2U);
}

TEST_F(WhatIfTest, LeavesARecordedRateWhereSoManyAtATimeAreAskedFor) {
  Profile profile = SucceededProfile(true);
  profile.request.objective.requests_per_second = 5;
  profile.request.objective.arrivals = Arrivals::Trace("times:1");
  server_->On("GET /profiles/p1", 200, Text(EncodeProfile(profile)));
  EXPECT_EQ(Run({"what-if", "p1", "--concurrency", "4"}).status, 0);
  EXPECT_EQ(Asked().at("objective"), (Json{{"concurrency", 4}}));
  server_->On("GET /datasets/times%3A1", 200, Text(EncodeDataset(SomeDataset())));
  EXPECT_EQ(Run({"what-if", "p1", "--rps", "9"}).status, 0);
  EXPECT_EQ(Asked().at("objective").at("arrivals"), (Json{{"trace", "requests:1"}}));
}

TEST_F(WhatIfTest, AsksForARecordedRateInPlaceOfSoManyAtATime) {
  server_->On("GET /datasets/requests", 200, Text(EncodeDataset(SomeDataset())));
  EXPECT_EQ(Run({"what-if", "p1", "--arrivals", "trace:requests"}).status, 0);
  const Json asked = Asked().at("objective");
  EXPECT_FALSE(asked.contains("concurrency")) << asked;
  EXPECT_TRUE(asked.at("arrivals").contains("trace")) << asked;
}

TEST_F(WhatIfTest, AsksForAnotherNumberOfWorkers) {
  EXPECT_EQ(Run({"what-if", "p1", "--workers", "8"}).status, 0);
  EXPECT_EQ(Asked(), (Json{{"workers", 8}}));
  EXPECT_EQ(Run({"what-if", "p1", "--workers", "0"}).status, 2);
  EXPECT_EQ(Run({"what-if", "p1", "--workers", "1025"}).status, 2);
}

TEST_F(WhatIfTest, AsksForTheProfilesOwnObjectiveUnlessTold) {
  Run({"what-if", "p1", "--memory-margin", "0.25"});
  EXPECT_EQ(Asked(), (Json{{"memoryMargin", 0.25}}));
}

TEST_F(WhatIfTest, KeepsWhatTheOptionsDoNotChange) {
  Run({"what-if", "p1", "--p99-ms", "90"});
  EXPECT_EQ(
      Asked(),
      (Json{{"objective", {{"concurrency", 2}, {"latencyInMs", {{"p95", 50.0}, {"p99", 90.0}}}}}}));
  Run({"what-if", "p1", "--rps", "40", "--arrivals", "constant", "--p95-ms", "60"});
  EXPECT_EQ(Asked(), (Json{{"objective",
                            {{"requestsPerSecond", 40.0},
                             {"arrivals", "constant"},
                             {"latencyInMs", {{"p95", 60.0}}}}}}));
  Run({"what-if", "p1", "--concurrency", "8"});
  EXPECT_EQ(Asked(), (Json{{"objective", {{"concurrency", 8}, {"latencyInMs", {{"p95", 50.0}}}}}}));
}

TEST_F(WhatIfTest, ExitStatusTellsWhatWentWrong) {
  EXPECT_EQ(Run({"what-if", "nosuch"}).status, 3);
  EXPECT_EQ(Run({"what-if"}).status, 2);
  EXPECT_EQ(Run({"what-if", "p1", "--memory-margin", "-1"}).status, 2);
  EXPECT_EQ(Run({"what-if", "p1", "--memory-margin", "15"}).status, 2);
  EXPECT_EQ(Run({"what-if", "p1", "--rps", "1", "--concurrency", "1"}).status, 2);
  EXPECT_EQ(Run({"what-if", "p1", "--arrivals", "constant"}).status, 2);  // it has no rate
  server_->On("POST /profiles/0123/what-if", 409, R"({"detail":"it has no recommendation"})");
  EXPECT_EQ(Run({"what-if", "p1"}).status, 1);
}

}  // namespace
}  // namespace mlprof::client::cli
