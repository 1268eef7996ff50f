// `mlprof trace FILE`.
#include <gmock/gmock.h>

#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TraceTest : public CliTest {
 protected:
  TraceTest() : file_(folder_.path() / "box.xplane.pb") {
    std::ofstream(file_) << "a trace";
    server_->On("POST /captures", 201, R"({"id":"c1"})");
    Offer("overview_page", R"({"hardware":"CPU",
      "environment":{"deviceType":"CPU","deviceCount":0,"eventCount":3},
      "steps":{"count":2,"stepTimeInMs":{"average":7.5,"standardDeviation":0.5,"minimum":7,"maximum":8}},
      "topOps":[{"name":"dot\u001b[2J","type":"dot","selfTimePercent":60,"cumulativePercent":60,
                 "selfTimeInMs":6,"gflopsPerSecond":2}],
      "verdict":{"statement":"It waits.","also":[]},"nextSteps":["op_profile: it"],
      "errors":[],"warnings":["events were dropped"]})");
  }
  void Offer(const std::string& tool, const std::string& document) {
    server_->On("GET /captures/c1/tools/" + tool, 200, document);
  }
  std::string AskedOf(const std::string& tool) {
    return server_->Asked("GET /captures/c1/tools/" + tool).back().target;
  }
  const std::filesystem::path file_;
};

TEST_F(TraceTest, ShowsTheOverview) {
  const Outcome outcome = Run({"trace", file_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"7.5 ms ± 0.5 (7 to 8)", "It waits.", "op_profile: it", "dot\\x1b[2J",
                           "events were dropped"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  EXPECT_THAT(Run({"trace", file_, "-o", "tsv"}).out, HasSubstr("60\t60\t6\t2\tdot\tdot"));
  EXPECT_THAT(Run({"trace", file_, "-o", "json"}).out, HasSubstr("\"eventCount\": 3"));
}

TEST_F(TraceTest, ShowsWhatCostsMostOnADevice) {
  const std::string costs = R"(
      "costsMost":"padding",
      "padding":{"paddedTimePercent":60.5,"program":"jit_f","peakInMib":40,"paddingAtPeakInMib":12.5},
      "precision":{"f32MatrixTimePercent":20,"program":"jit_f","peakInMib":40,"f32AtPeakInMib":30,
                   "f32AsBfloat16InMib":16}})";
  Offer("overview_page", R"({"hardware":"CPU",)" + costs);
  EXPECT_THAT(Run({"trace", file_}).out, Not(HasSubstr("What costs")));
  Offer("overview_page", R"({"hardware":"TPU",)" + costs);
  const std::string shown = Run({"trace", file_}).out;
  for (const char* part :
       {"What costs", "60.5 % of the operations' time, 12.5 of 40 MiB at the peak of jit_f",
        "20 % of the operations' time in products, 30 of 40 MiB at the peak of jit_f (at most "
        "16 MiB in bfloat16)"}) {
    EXPECT_THAT(shown, HasSubstr(part));
  }
}

TEST_F(TraceTest, SaysNothingOfWhatTheTraceDoesNotTell) {
  Offer("overview_page",
        R"({"hardware":"TPU","costsMost":"unknown","padding":null,"precision":null})");
  const std::string shown = Run({"trace", file_}).out;
  EXPECT_THAT(shown, HasSubstr("unknown"));
  EXPECT_THAT(shown, Not(HasSubstr("f32")));
  EXPECT_THAT(shown, Not(HasSubstr("padded")));
}

TEST_F(TraceTest, ShowsWhatTheServerHasByItsId) {
  const std::string id = "sha256:" + std::string(64, 'a');
  server_->On("GET /captures/sha256%3A" + std::string(64, 'a') + "/tools/overview_page", 200,
              R"({"hardware":"CPU","verdict":{"statement":"It waits.","also":[]}})");
  const Outcome outcome = Run({"trace", id});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("It waits."));
  EXPECT_TRUE(server_->Asked("POST /captures").empty());
  EXPECT_THAT(Run({"trace", id, "--export", folder_.path() / "logs"}).err,
              HasSubstr("mlprof profile artifacts"));
}

TEST_F(TraceTest, ShowsTheRowsAndAsksAboutOne) {
  Offer("rows", R"({"visitCount":12,"rowCount":4,"rowsLeftOut":2,"visitsLeftOut":5,"rows":[
    {"row":17,"visits":3,"latencyInMs":45.1,"slowestInMs":50,"othersInFlight":0,"opTimeInMs":40,
     "opTimePercent":90,"topOps":[{"name":"dot.1","program":"jit_f","selfTimePercent":80}]},
    {"row":2,"visits":1,"latencyInMs":5,"slowestInMs":5,"othersInFlight":0,"opTimeInMs":0,
     "opTimePercent":0,"topOps":[]}]})");
  const Outcome outcome = Run({"trace", file_, "--tool", "rows", "--slowest", "1%"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("recorded: 12, of rows: 4"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("17 +3 +45.1 +50 +0 +90 +80 +dot.1 +jit_f"));
  EXPECT_THAT(outcome.out, HasSubstr("2 quicker rows"));
  EXPECT_THAT(outcome.out, HasSubstr("the last 5 visits"));
  EXPECT_TRUE(AskedOf("rows").ends_with("slowestPercent=1")) << AskedOf("rows");
  Run({"trace", file_, "--row", "17"});
  EXPECT_THAT(AskedOf("overview_page"), HasSubstr("row=17"));
}

TEST_F(TraceTest, HandsOnWhatTheToolIsToHeed) {
  Offer("op_profile",
        R"({"root":{"name":"by_category","metrics":{"timeInUs":5,"timeFraction":1}}})");
  const Outcome outcome = Run({"trace", file_, "--tool", "op_profile", "--group-by", "category",
                               "--sort", "flops", "--top", "3", "--without-idle"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("by_category"));
  for (const char* part : {"groupBy=category", "sort=flops", "top=3", "idle=false"}) {
    EXPECT_THAT(AskedOf("op_profile"), HasSubstr(part));
  }
}

TEST_F(TraceTest, WritesFilesAndShowsNothingElse) {
  Offer("trace_viewer", R"({"traceEvents":[{}]})");
  const auto chrome = folder_.path() / "chrome.json";
  const Outcome outcome = Run({"trace", file_, "--chrome", chrome, "--window", "10..20.5",
                               "--export", folder_.path() / "logs"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(AskedOf("trace_viewer"), HasSubstr("fromMs=10"));
  EXPECT_THAT(AskedOf("trace_viewer"), HasSubstr("toMs=20.5"));
  EXPECT_TRUE(std::filesystem::exists(chrome));
  std::size_t copies = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_.path() / "logs/plugins/profile")) {
    copies += entry.path().filename() == "box.xplane.pb" ? 1 : 0;
  }
  EXPECT_EQ(copies, 1U);
  EXPECT_TRUE(server_->Asked("GET /captures/c1/tools/overview_page").empty());
}

TEST_F(TraceTest, LeavesNoPartOfAFileItCouldNotWrite) {
  server_->On("GET /captures/c1/tools/trace_viewer", 504, R"({"status":504,"detail":"too long"})");
  const auto chrome = folder_.path() / "chrome.json";
  const Outcome late = Run({"trace", file_, "--chrome", chrome});
  EXPECT_NE(late.status, 0);
  EXPECT_THAT(late.err, HasSubstr("too long"));
  EXPECT_FALSE(std::filesystem::exists(chrome));
  EXPECT_FALSE(std::filesystem::exists(chrome.string() + ".part"));

  Offer("trace_viewer", R"({"traceEvents":[{}]})");
  const auto nowhere = folder_.path() / "no" / "chrome.json";
  const Outcome lost = Run({"trace", file_, "--chrome", nowhere});
  EXPECT_THAT(lost.err, HasSubstr("cannot write " + nowhere.string()));
  EXPECT_THAT(lost.err, HasSubstr("No such file or directory"));
}

// A place that cannot be written to is no wrong use of the command line.
TEST_F(TraceTest, TellsWhyALogDirectoryCannotBeMade) {
  const auto taken = folder_.path() / "taken";
  std::ofstream(taken) << "a file";
  const Outcome outcome = Run({"trace", file_, "--export", taken});
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot create " + taken.string()));
}

TEST_F(TraceTest, SaysWhatIsWrong) {
  EXPECT_EQ(Run({"trace", file_, "--tool", "x"}).status, 2);
  EXPECT_THAT(Run({"trace", file_, "--tool", "x"}).err, HasSubstr("overview_page, "));
  for (const char* window : {"5", "..", "a..b"}) {
    EXPECT_EQ(Run({"trace", file_, "--window", window}).status, 2) << window;
  }
  EXPECT_THAT(Run({"trace", folder_.path() / "no.pb"}).err, HasSubstr("there is no file"));
}

}  // namespace
}  // namespace mlprof::client::cli
