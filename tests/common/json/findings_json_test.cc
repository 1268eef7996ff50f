#include <gtest/gtest.h>

#include <limits>

#include "common/json/domain_json.h"

namespace mlprof {
namespace {

Findings EverythingFound() {
  Findings findings;
  findings.replay = ReplayCapacity{30'000, 0.05, 6.5};
  findings.load = LoadCurve{
      {{1, 50, 20, 22, 25, 0.9, std::nullopt, 0}, {2, 98, 20.5, 24, 28, 1.8, MiB(300), 0.01}}, 2};
  findings.cpu = CpuCurve{{{Cores::FromTenths(5), 40, 39, 44, 48, 25, 0.9, false},
                           {Cores::FromTenths(10), 20, 19, 22, 25, 50, 0.1, true}},
                          2.5,
                          17.5,
                          1.0,
                          0.03};
  findings.memory = MemoryFindings{MemoryTrend::kGrowing,
                                   5000,
                                   1024.5,
                                   37.25,
                                   MiB(400),
                                   MiB(320),
                                   MiB(90),
                                   MiB(70),
                                   MiB(12),
                                   9,
                                   0.97};
  findings.payload = PayloadCost{3.5, 0.25, 2.5, 0.875};
  findings.heavy_rows = {{7, "memory", 5e8, 1e6}, {0, "cpu", 90, 10}};
  findings.killing_rows = {3, 4'000'000'000};
  findings.thread_pools = ThreadPoolFindings{
      17, 2, {"libgomp", "libopenblas"}, {{"OMP_NUM_THREADS", "1"}}, 2.5, 0.4, true};
  findings.overload = OverloadFindings{MiB(1302), 1.9, 16};
  findings.cold_rows = ColdRows{40, 39, 351.5, 360, 301, 51.5, 52, 1.25, MiB(12)};
  findings.response_cache = ResponseCache{20, 20.5, 0.25, 20.25};
  findings.input_growth = InputGrowth{4000, 65536};
  findings.memory_savings = {{"inFlight", "serve 4 rows at once instead of 8", MiB(96), true},
                             {"precision", "bfloat16 or float16", MiB(40), false}};
  return findings;
}

TEST(FindingsJsonTest, ReadsBackWhatItWrites) {
  const auto again = DecodeFindings(EncodeFindings(EverythingFound()));
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(*again, EverythingFound());
}

TEST(FindingsJsonTest, WritesNullForWhatWasNotLookedAt) {
  const Json json = EncodeFindings({});
  for (const char* key : {"replay", "load", "cpu", "memory", "payload", "threadPools", "overload",
                          "coldRows", "responseCache", "inputGrowth"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_EQ(json["heavyRows"], Json::array());
  EXPECT_EQ(json["killingRows"], Json::array());
  EXPECT_EQ(json["memorySavings"], Json::array());
  EXPECT_EQ(*DecodeFindings(json), Findings());
  EXPECT_EQ(*DecodeFindings(Json::object()), Findings());
}

TEST(FindingsJsonTest, NamesUnits) {
  const Json json = EncodeFindings(EverythingFound());
  EXPECT_EQ(json["replay"]["controllerMicrosecondsPerRequest"], 6.5);
  EXPECT_EQ(json["load"]["levels"][1]["peakMemoryInBytes"], MiB(300).count());
  EXPECT_EQ(json["cpu"]["points"][0]["latencyPercentile99InMs"], 48);
  EXPECT_EQ(json["cpu"]["serialInMs"], 2.5);
  EXPECT_EQ(json["memory"]["trend"], "growing");
  EXPECT_EQ(json["memorySavings"][0], (Json{{"change", "inFlight"},
                                            {"advice", "serve 4 rows at once instead of 8"},
                                            {"savesInBytes", MiB(96).count()},
                                            {"basis", "measured"}}));
  EXPECT_EQ(json["memorySavings"][1]["basis"], "estimated");
  EXPECT_EQ(json["overload"], (Json{{"maxUtilizedMemoryInBytes", MiB(1302).count()},
                                    {"maxUtilizedCpu", 1.9},
                                    {"concurrency", 16}}));
  EXPECT_EQ(json["coldRows"]["cpuPerRowInMs"], 301);
  EXPECT_EQ(json["coldRows"]["warmLatencyPercentile95InMs"], 52);
  EXPECT_EQ(json["responseCache"]["repeatLatencyInMs"], 0.25);
  EXPECT_EQ(json["inputGrowth"]["bytesPerRow"], 65536);
  EXPECT_EQ(json["memory"]["hoursToOutOfMemory"], 37.25);
}

TEST(FindingsJsonTest, KnowsEveryTrend) {
  for (const MemoryTrend trend :
       {MemoryTrend::kFlat, MemoryTrend::kGrowing, MemoryTrend::kUnknown}) {
    Findings findings;
    findings.memory = MemoryFindings();
    findings.memory->trend = trend;
    EXPECT_EQ(DecodeFindings(EncodeFindings(findings))->memory->trend, trend);
  }
}

// A leak too slow to matter has an infinite time; JSON has no word for it.
TEST(FindingsJsonTest, WritesWhatIsNoNumberAsAbsent) {
  Findings findings;
  findings.memory = MemoryFindings();
  findings.memory->hours_to_out_of_memory = std::numeric_limits<double>::infinity();
  const auto text = ParseJson(DumpJson(EncodeFindings(findings)));
  EXPECT_EQ(DecodeFindings(*text)->memory->hours_to_out_of_memory, std::nullopt);
}

TEST(FindingsJsonTest, NamesWhatIsOfTheWrongType) {
  const auto findings = DecodeFindings(
      {{"load", {{"levels", {1}}}}, {"heavyRows", 2}, {"killingRows", {1, "x"}}, {"cpu", "fast"}});
  ASSERT_FALSE(findings.has_value());
  std::set<std::string> pointers;
  for (const FieldError& field : findings.error().fields()) pointers.insert(field.pointer);
  EXPECT_EQ(pointers,
            (std::set<std::string>{"/load/levels/0", "/heavyRows", "/killingRows/1", "/cpu"}));
}

}  // namespace
}  // namespace mlprof
