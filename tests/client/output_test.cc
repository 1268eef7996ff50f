#include <gtest/gtest.h>

#include "client/cli/output/format.h"
#include "client/cli/output/profile_details.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"
#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
namespace {

TEST(TextTest, WritesOutControlCharacters) {
  EXPECT_EQ(Visible("a\x1b[31m\n\xc2\x9b\xc3\xa4"), "a\\x1b[31m\\n\\x9b\xc3\xa4");
  EXPECT_EQ(VisibleLines("a\nb\rc"), "a\nb\\rc");
}

TEST(TextTest, WritesFiguresShort) {
  EXPECT_EQ(Figure(0), "0");
  EXPECT_EQ(Figure(0.4), "0.4");
  EXPECT_EQ(Figure(38.24), "38.2");
  EXPECT_EQ(Figure(1250.4), "1250");
  EXPECT_EQ(Text(Cores(1)), "1 core");
  EXPECT_EQ(Text(GiB(3)), "3 GiB");
  EXPECT_EQ(Duration(125), "2 min 5 s");
  EXPECT_EQ(Duration(2.14), "2.1 s");
}

TEST(ProfileDetailsTest, TellsDeviceTracesAndWhatTheyCost) {
  Profile profile = SucceededProfile(true);
  EXPECT_EQ(ProfileDetails(profile).find("Device traces"), std::string::npos);
  profile.captures = {
      {"sha256:ab",
       "alone.xplane.pb",
       CaptureLoad::kAlone,
       1,
       {},
       {},
       KiB(9),
       1,
       77,
       {50, 20.5, 22.5},
       {1, 24.5, 28.5},
       {{17, 3, 45.1, "dot.1", 80.25, 0}, {4, 1, 44, "", 0, 0}, {5, 1, 43, "add.2", 130, 1.25}},
       CapturedCosts{"padding", 76.5, 3, {"padding: fill whole tiles"}}},
      {"sha256:cd",
       "objective.xplane.pb",
       CaptureLoad::kObjective,
       {},
       12.5,
       {},
       KiB(9),
       2.5,
       78,
       {0, {}, {}},
       {}}};
  const std::string text = ProfileDetails(profile);
  for (const char* part :
       {"1 at a time for 1 s: 77 events, 9 KiB", "20.5 ms before, 24.5 ms meanwhile",
        "22.5 ms before, 28.5 ms meanwhile (of 50 rows and 1 row)", "mlprof trace sha256:ab",
        "mlprof trace sha256:ab --tool rows", "45.1 ms, 80% of it in dot.1\n",
        "44 ms, no operation of XLA's in it",
        "43 ms, 130% of it in add.2 (its own and those of 1.2 rows beside it)",
        "padding; duty cycle 76.5%; waits for input 3%", "padding: fill whole tiles",
        "12.5 rows/s for 2.5 s", "not known (of 0 rows and 0 rows)",
        "mlprof profile artifacts p1 -t DIR"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(YamlTest, QuotesWhatCouldBeTakenForSomethingElse) {
  const Json json = {{"b", true},
                     {"e", Json::array()},
                     {"list", {1, {{"x", "y"}, {"z", nullptr}}, {2.5}}},
                     {"no", "no"},
                     {"plain", "sentiment"},
                     {"sp", "a: b\n"},
                     {"time", "2026-01-02"},
                     {"o", {{"i", 1}}}};
  ExpectGolden("cli/values.yaml", Yaml(json));
}

TEST(CsvTest, QuotesWhereNeeded) {
  EXPECT_EQ(CsvLine({"a", "b,c", "say \"x\""}), "a,\"b,c\",\"say \"\"x\"\"\"\r\n");
}

TEST(CsvTest, LetsNoCellBeAFormula) {
  EXPECT_EQ(CsvLine({"=1+1", "+A1", "-A1", "@SUM(A1)", "\tx", "\rx"}),
            "'=1+1,'+A1,'-A1,'@SUM(A1),'\tx,\"'\rx\"\r\n");
  EXPECT_EQ(CsvLine({"=HYPERLINK(\"x\",\"y\")"}), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\r\n");
}

TEST(CsvTest, LeavesNumbersAndOtherTextAsTheyAre) {
  EXPECT_EQ(CsvLine({"-1.5", "-2e-07", "-3", "a=b", "", "'x", "{\"a\":1}"}),
            "-1.5,-2e-07,-3,a=b,,'x,\"{\"\"a\"\":1}\"\r\n");
  EXPECT_EQ(CsvLine({"-1.5x", "-inf"}), "'-1.5x,'-inf\r\n");
}

TEST(FormatTest, AlignsColumns) {
  ExpectGolden("cli/models.table", Aligned(ModelTable({{SomeModel(1), ""}, {SomeModel(12), ""}})));
}

TEST(ProfileDetailsTest, PutsTheAnswerFirst) {
  ExpectGolden("cli/succeeded.table", ProfileDetails(SucceededProfile(true)));
}

TEST(ProfileDetailsTest, SaysThatAnAnswerIsNotProven) {
  EXPECT_NE(ProfileDetails(SucceededProfile(false)).find("  verified         NO: not proven"),
            std::string::npos);
}

TEST(ProfileDetailsTest, TellsTheWorkersOfAnAnswerThatHasSome) {
  Profile profile = SucceededProfile(true);
  EXPECT_EQ(ProfileDetails(profile).find("workers"), std::string::npos);
  profile.recommendation->workers = ServingWorkers{4, MiB(200), 4};
  EXPECT_NE(ProfileDetails(profile).find(
                "  workers          4 processes serve, each with 200 MiB for itself; every one"),
            std::string::npos);
  profile.recommendation->workers = ServingWorkers{4, std::nullopt, 3};
  EXPECT_NE(ProfileDetails(profile).find("4 processes serve; 3 of them had rows"),
            std::string::npos);
}

TEST(ProfileDetailsTest, ShowsTheDevicesOfAnAnswerThatHasSome) {
  Profile profile = SucceededProfile(true);
  EXPECT_EQ(ProfileDetails(profile).find("device"), std::string::npos);
  profile.recommendation->requested.Set(DeviceMemory{GiB(6), 2});
  profile.recommendation->Set(
      {DeviceMemory{GiB(5), 2}, DeviceMemory{GiB(7), 2}, "the devices' peak", Confidence::kLow});
  const std::string text = ProfileDetails(profile);
  EXPECT_NE(text.find("    0.4 cores    512 MiB (0.5 GiB)    2 devices of 6144 MiB (6 GiB)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  device           5120 MiB to 7168 MiB, low confidence\n"),
            std::string::npos)
      << text;
}

TEST(ProfileDetailsTest, ShowsHowADeviceWasUsedAndWhereItsMemoryWasReadFrom) {
  Profile profile = SucceededProfile(true);
  DeviceFindings& device = profile.recommendation->device.emplace();
  device.reserved = GiB(12);
  device.needed = GiB(3);
  device.needed_by = NeededBy::kCap;
  device.memory_from = "processes";
  device.busy = 0.42;
  device.memory_busy = 0.17;
  device.watts = 250.4;
  const std::string text = ProfileDetails(profile);
  EXPECT_NE(text.find("read from the model's processes, ten times a second"), std::string::npos)
      << text;
  EXPECT_NE(text.find("busy 42% of the time, its memory 17%, 250 W"), std::string::npos) << text;
  device.memory_from = "runtime";
  EXPECT_NE(ProfileDetails(profile).find("read from libtpu within the model's process"),
            std::string::npos);
  device.memory_from = "device";
  device.busy = device.memory_busy = device.watts = std::nullopt;
  const std::string less = ProfileDetails(profile);
  EXPECT_NE(less.find("what the whole device gained"), std::string::npos) << less;
  EXPECT_EQ(less.find("busy"), std::string::npos) << less;
}

TEST(ProfileDetailsTest, ShowsWhatEachCpuLimitGaveThatWasTried) {
  Profile profile = SucceededProfile(true);
  profile.findings.cpu.reset();
  EXPECT_EQ(ProfileDetails(profile).find("CPU limits"), std::string::npos);
  const std::vector<CpuPoint> curve = {{Cores(0.5), 20, 18, 70.1, 90, 40.2, 0.93, false},
                                       {Cores(1.0), 10, 9, 12.3, std::nullopt, 95, 0, true}};
  const std::string shown =
      "CPU limits that were tried\n"
      "  CORES  P50    P95      P99    REQUESTS/S  THROTTLED  HELD\n"
      "  0.5    18 ms  70.1 ms  90 ms  40.2        93%        no\n"
      "  1      9 ms   12.3 ms  -      95          0%         yes\n";
  profile.recommendation->curve = curve;
  EXPECT_NE(ProfileDetails(profile).find(shown), std::string::npos) << ProfileDetails(profile);
  // Of an answer that is not proven, too.
  profile.recommendation->curve.clear();
  profile.findings.cpu.emplace().points = curve;
  EXPECT_NE(ProfileDetails(profile).find(shown), std::string::npos) << ProfileDetails(profile);
}

TEST(ProfileDetailsTest, SaysWhyANumberIsNoSurer) {
  Profile profile = SucceededProfile(true);
  Recommendation& answer = *profile.recommendation;
  Bound& cpu = *answer.bounds.Find(ResourceKind::kCpu);
  cpu.confidence = Confidence::kHigh;
  cpu.because = "3 fresh containers held it";
  Bound& memory = *answer.bounds.Find(ResourceKind::kMemory);
  memory.confidence = Confidence::kMedium;
  memory.because = "600 requests met no kill, where 3000 show that it is rare";
  const std::string text = ProfileDetails(profile);
  EXPECT_NE(text.find("no surer: 600 requests met no kill, where 3000 show that it is rare"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("3 fresh containers held it"), std::string::npos) << text;
}

TEST(ProfileDetailsTest, NamesTheNumberThatIsNotTight) {
  Profile profile = SucceededProfile(true);
  Recommendation& answer = *profile.recommendation;
  answer.tight = false;
  const std::string held = " held as well, but not surely enough to be the answer";
  const auto told = [&](std::optional<bool> cpu, std::optional<bool> memory) {
    answer.bounds.Find(ResourceKind::kCpu)->tight = cpu;
    answer.bounds.Find(ResourceKind::kMemory)->tight = memory;
    const std::string text = ProfileDetails(profile);
    const std::size_t at = text.find("no: one step less");
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(told(true, false), "no: one step less of memory" + held);
  EXPECT_EQ(told(false, true), "no: one step less of CPU" + held);
  EXPECT_EQ(told(false, false), "no: one step less of CPU and of memory" + held);
  EXPECT_EQ(told({}, {}), "no: one step less" + held) << "of a profile of before";
}

TEST(ProfileDetailsTest, SaysWhatToSetInAPodAndHowRareAKillIsAtMost) {
  Profile profile = SucceededProfile(true);
  Recommendation& answer = *profile.recommendation;
  answer.kubernetes =
      PodResources{Cores(0.31), Cores(0.5), MiB(512), Cores(1.0),
                   "at 0.4 cores the quota stopped the model in 40% of its periods"};
  answer.rare_events = RareEvents{3478, 0.00086};
  profile.findings.memory.emplace().in_flight = 7;
  const std::string text = ProfileDetails(profile);
  for (const char* line :
       {"  Kubernetes       requests cpu 310m, memory 512Mi; limits cpu 500m, memory 512Mi; 1 core "
        "while it starts\n"
        "                   at 0.4 cores the quota stopped the model in 40% of its periods\n",
        "  rare             no kill in 3478 requests: at most 0.086% of them, at 95% confidence\n",
        "up to 7 requests at once: one arrival in 10,000 meets more at most\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  answer.kubernetes->limits_cpu.reset();
  profile.findings.memory->in_flight = 1;
  EXPECT_EQ(ProfileDetails(profile).find("requests at once"), std::string::npos);
  EXPECT_NE(ProfileDetails(profile).find("limits cpu none, memory 512Mi"), std::string::npos);
}

TEST(ProfileDetailsTest, NamesNoGainOfAPoolsSizeThatBroughtNone) {
  Profile profile = LeakingProfile();
  const auto told = [&](double gain, std::optional<double> saved) {
    profile.findings.thread_pools =
        ThreadPoolFindings{17, 1, {}, {{"OMP_NUM_THREADS", "1"}}, gain, saved, false};
    const std::string details = ProfileDetails(profile);
    const std::size_t at = details.find("OMP_NUM_THREADS=1: ");
    return details.substr(at, details.find('\n', at) - at);
  };
  for (const double gain : {0.8, 1.0, 1.0004}) {
    EXPECT_EQ(told(gain, 0),
              "OMP_NUM_THREADS=1: p95 no shorter; tried, and not part of the answer");
  }
  EXPECT_NE(told(1.2, std::nullopt).find("p95 1.2 times shorter; tried"), std::string::npos);
}

TEST(ProfileDetailsTest, SaysWhatWasFound) {
  ExpectGolden("cli/found.table", ProfileDetails(LeakingProfile()));
}

TEST(ProfileDetailsTest, SaysThatMemoryDoesNotGrow) {
  Profile profile = SucceededProfile(true);
  profile.findings.memory.emplace().trend = MemoryTrend::kFlat;
  profile.findings.memory->requests = 900;
  const std::string text = ProfileDetails(profile);
  EXPECT_NE(text.find("Found\n  memory           does not grow over 900 requests\n"),
            std::string::npos)
      << text;
}

TEST(ProfileDetailsTest, TellsFirstVisitsApartWhereTheyCostFarMore) {
  Profile profile = SucceededProfile(true);
  profile.findings.cold_rows = ColdRows{40, 0, 51, 52, 1, 51, 52, 1, std::nullopt};
  EXPECT_EQ(ProfileDetails(profile).find("first visits"), std::string::npos);
  profile.findings.cold_rows = ColdRows{40, 39, 351, 360, 301, 51, 52, 1.2, MiB(3)};
  profile.findings.response_cache = ResponseCache{20, 20.5, 0.3, 20.2};
  profile.findings.input_growth = InputGrowth{4000, 65536};
  const std::string text = ProfileDetails(profile);
  EXPECT_NE(text.find("  first visits     351 ms and 301 ms of CPU a row, later ones 51 ms and 1.2 "
                      "ms (39 of 40 rows cost far more the first time)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("seen rows are answered in 0.3 ms, new ones in 20.5 ms"), std::string::npos)
      << text;
  EXPECT_NE(text.find("keeps 64 KiB for each distinct row, of which 4000 were sent\n"),
            std::string::npos)
      << text;
}

TEST(ProfileDetailsTest, ClaimsNoKneeThatTheCurveDidNotReach) {
  Profile profile = LeakingProfile();
  profile.findings.load->knee_concurrency.reset();
  const std::string text = ProfileDetails(profile);
  EXPECT_NE(text.find("  knee             not reached at 2 at a time: 86 requests/s, p95 36 ms, "
                      "0.7 cores used\n"),
            std::string::npos)
      << text;
}

TEST(ProfileDetailsTest, SaysThatMoreFailWhereErrorsEndedTheCurve) {
  Profile profile = LeakingProfile();
  LoadLevel failing;
  failing.concurrency = 4;
  failing.error_rate = 0.3;
  profile.findings.load->levels.push_back(failing);
  const std::string text = ProfileDetails(profile);
  EXPECT_NE(text.find("0.7 cores used; more fail\n"), std::string::npos) << text;
}

TEST(ProfileDetailsTest, TellsWhyThereIsNoAnswer) {
  Profile profile = SomeProfile(ProfileState::kFailed);
  profile.error = ProfileError{"OutOfMemory",
                               "the model was killed at 2 GiB",
                               {"raise --memory-gb"},
                               "line 1\nline \x1b[2J2"};
  ExpectGolden("cli/failed.table", ProfileDetails(profile));
}

TEST(ProfileDetailsTest, ShowsHowFarARunningOneIs) {
  ExpectGolden("cli/running.table", ProfileDetails(SomeProfile(ProfileState::kProfiling)));
}

}  // namespace
}  // namespace mlprof::client::cli
