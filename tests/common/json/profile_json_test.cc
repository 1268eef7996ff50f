#include <gtest/gtest.h>

#include "common/json/domain_json.h"

namespace mlprof {
namespace {

Recommendation SomeRecommendation() {
  Recommendation recommendation;
  recommendation.requested = {Cores::FromTenths(4), MiB(512)};
  recommendation.verified = true;
  recommendation.tight = false;
  recommendation.confidence = Confidence::kMedium;
  recommendation.Set({Cores::FromTenths(3), Cores::FromTenths(5), "knee", Confidence::kHigh});
  recommendation.Set({Bytes(471'859'203), MiB(614), "peak", Confidence::kMedium});
  recommendation.environment_variables = {{"OMP_NUM_THREADS", "1"}};
  recommendation.max_concurrency = 4;
  recommendation.max_requests_per_second = 38.5;
  return recommendation;
}

Profile FullProfile() {
  Profile profile;
  profile.id = "abc";
  profile.workspace = "s/g/w";
  profile.state = ProfileState::kVerifying;
  profile.progress = {"verify", 0.9, "third container", 12.5};
  profile.created = *ParseTimestamp("2026-01-02T03:04:05.678Z");
  profile.started = *ParseTimestamp("2026-01-02T03:04:06.000Z");
  profile.request.name = "p1";
  profile.request.model_ids = {"m:1", "n:2"};
  profile.request.input_dataset_id = "d:3";
  profile.request.inference_config.emplace();
  ImageConfig service;
  service.image = "model:1";
  profile.request.inference_config->service = service;
  profile.request.ceiling = {Cores::FromTenths(20), GiB(4)};
  profile.request.objective.concurrency = 2;
  profile.request.objective.latency_ms = {{"p95", 50.5}};
  profile.request.objective.start_within_seconds = 20;
  profile.request.runtime = "docker";
  profile.request.seed = 99;
  profile.recommendation = SomeRecommendation();
  profile.measurements.emplace();
  profile.measurements->measured_at = {Cores::FromTenths(4), MiB(512)};
  profile.measurements->max_utilized_memory = MiB(100);
  profile.measurements->total_queries = 10;
  profile.measurements->success_queries = 9;
  profile.findings.killing_rows = {17};
  profile.findings.load.emplace().knee_concurrency = 4;
  profile.captures = {{"sha256:ab",
                       "alone.xplane.pb",
                       CaptureLoad::kAlone,
                       1,
                       {},
                       {Cores(0.4), GiB(4)},
                       KiB(9),
                       1,
                       77,
                       {50, 20.5, 22.5},
                       {40, 24.5, 28.5},
                       {{17, 3, 45.1, "dot.1", 80.25, 0.5}, {4, 1, 44, "", 0, 0}},
                       CapturedCosts{"padding", 76, std::nullopt, {"padding: much"}}},
                      {"sha256:cd",
                       "objective.xplane.pb",
                       CaptureLoad::kObjective,
                       {},
                       12.5,
                       {Cores(0.4), GiB(4)},
                       KiB(9),
                       2.5,
                       78,
                       {0, {}, {}},
                       {}}};
  profile.warnings = {{"sharedCores", "message", "advice"}};
  profile.error = ProfileError{"OutOfMemory", "message", {"more"}, "log"};
  profile.host = HostFacts{"cpu", 2, GiB(8), 1, true, "quiet"};
  return profile;
}

TEST(ProfileJsonTest, ReadsBackWhatItWrites) {
  const Json json = EncodeProfile(FullProfile());
  const auto again = DecodeProfile(json);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(EncodeProfile(*again), json);
  EXPECT_EQ(again->workspace, "s/g/w");
  EXPECT_EQ(again->recommendation, SomeRecommendation());
  EXPECT_EQ(again->findings, FullProfile().findings);
  EXPECT_EQ(again->captures, FullProfile().captures);
  EXPECT_EQ(again->request.ceiling, FullProfile().request.ceiling);
  EXPECT_EQ(again->request.inference_config, FullProfile().request.inference_config);
}

TEST(ProfileJsonTest, ReadsBackAProfileThatHasOnlyStarted) {
  Profile profile;
  profile.id = "x";
  const Json json = EncodeProfile(profile);
  EXPECT_TRUE(json["recommendation"].is_null());
  EXPECT_TRUE(json["measurements"].is_null());
  EXPECT_TRUE(json["startedTime"].is_null());
  const auto again = DecodeProfile(json);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_FALSE(again->recommendation || again->measurements || again->error || again->host);
}

TEST(ProfileJsonTest, ReadsAProfileOfAVersionWithoutFindings) {
  Json json = EncodeProfile(FullProfile());
  json.erase("findings");
  const auto again = DecodeProfile(json);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(again->findings, Findings());
}

TEST(ProfileErrorJsonTest, ReadsBackAFailedAllocationAndLeavesOutWhatIsNotKnown) {
  ProfileError error{"DeviceOutOfMemory", "no memory", {"less"}, "the log"};
  EXPECT_FALSE(EncodeProfileError(error).contains("allocation"));
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kOnnxRuntime;
  failure.on_device = true;
  failure.device = "hbm";
  failure.asked = GiB(2);
  failure.shape = {64, 3};
  failure.largest = {{GiB(1), "jit(f)/dot", "f32[8]", "", "HLO temp", MiB(3)}};
  failure.words = "Ran out";
  error.allocation = failure;
  const Json json = EncodeProfileError(error);
  EXPECT_EQ(json["allocation"]["runtime"], "ONNX Runtime");
  EXPECT_FALSE(json["allocation"].contains("limitInBytes"));
  const auto read = DecodeProfileError(json);
  ASSERT_TRUE(read && read->allocation);
  EXPECT_EQ(EncodeProfileError(*read), json);
}

TEST(RecommendationJsonTest, WritesExactNumbers) {
  const Json json = EncodeRecommendation(SomeRecommendation());
  EXPECT_EQ(json["requestedCpu"].dump(), "0.4");
  EXPECT_EQ(json["requestedMemoryInGb"].dump(), "0.5");
  EXPECT_EQ(json["requestedMemoryInBytes"], 536870912);
  EXPECT_EQ(json["tags"], (Json{{"requestedCpu", "0.4"}, {"requestedMemoryInGb", "0.5"}}));
  EXPECT_TRUE(json["device"].is_null());
  EXPECT_EQ(json["cpu"]["confidence"], "high");
  EXPECT_EQ(json["memory"]["confidence"], "medium");
}

TEST(ProfileJsonTest, ReadsBackThatThereIsNoAnswerAndWhatCameNearest) {
  Profile profile = FullProfile();
  profile.recommendation.reset();
  NearestRun nearest;
  nearest.limits = {Cores(2.0), GiB(4)};
  nearest.requests_per_second = 50;
  nearest.latency_p95_ms = 81.3;
  nearest.queries_per_second = 44.6;
  nearest.short_of = "44.6 of 50.0 requests/s were served";
  profile.no_answer = NoAnswer{kObjectiveNotHeld, "no limit holds it", nearest};
  const Json json = EncodeProfile(profile);
  EXPECT_TRUE(json.at("recommendation").is_null());
  EXPECT_EQ(json.at("noAnswer").at("code"), "objectiveNotHeld");
  EXPECT_EQ(json.at("noAnswer").at("nearest").at("cpu"), 2.0);
  EXPECT_EQ(json.at("noAnswer").at("nearest").at("memoryInBytes"), GiB(4).count());
  const auto again = DecodeProfile(json);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->no_answer, profile.no_answer);
  profile.no_answer->nearest.reset();
  EXPECT_EQ(DecodeProfile(EncodeProfile(profile))->no_answer, profile.no_answer);
  Json former = json;  // of a server that knew no such outcome
  former.erase("noAnswer");
  EXPECT_EQ(DecodeProfile(former)->no_answer, std::nullopt);
}

TEST(RecommendationJsonTest, TellsThatTheLowEndWasRunAndFellShort) {
  Recommendation recommendation = SomeRecommendation();
  recommendation.bounds.Find(ResourceKind::kCpu)->low_failed = true;
  const Json json = EncodeRecommendation(recommendation);
  EXPECT_EQ(json["cpu"]["lowFailed"], true);
  EXPECT_FALSE(json["memory"].contains("lowFailed"));
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

TEST(RecommendationJsonTest, SaysWhyANumberIsNoSurerWhereThatWasWrittenDown) {
  Recommendation recommendation = SomeRecommendation();
  recommendation.bounds.Find(ResourceKind::kMemory)->because = "few requests were served";
  const Json json = EncodeRecommendation(recommendation);
  EXPECT_EQ(json["memory"]["because"], "few requests were served");
  EXPECT_FALSE(json["cpu"].contains("because"));
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

// As clients know it: without a device no letter of it may change.
TEST(RecommendationJsonTest, IsTheSameToTheLetterWithoutADevice) {
  EXPECT_EQ(
      EncodeRecommendation(SomeRecommendation()).dump(),
      R"({"confidence":"medium","cpu":{"atFloor":false,"confidence":"high","high":0.5,"low":0.3,)"
      R"("reason":"knee"},"device":null,"environmentVariables":{"OMP_NUM_THREADS":"1"},)"
      R"("maxConcurrency":4,"maxRequestsPerSecond":38.5,)"
      R"("memory":{"atFloor":false,"confidence":"medium",)"
      R"("high":0.599609375,"low":0.4394531277939677,"reason":"peak"},"requestedCpu":0.4,)"
      R"("requestedMemoryInBytes":536870912,"requestedMemoryInGb":0.5,)"
      R"("tags":{"requestedCpu":"0.4","requestedMemoryInGb":"0.5"},"tight":false,)"
      R"("verified":true})");
}

TEST(RecommendationJsonTest, TellsWhichNumberIsAtItsFloor) {
  Recommendation recommendation = SomeRecommendation();
  recommendation.bounds.Find(ResourceKind::kCpu)->at_floor = true;
  const Json json = EncodeRecommendation(recommendation);
  EXPECT_EQ(json["cpu"]["atFloor"], true);
  EXPECT_EQ(json["memory"]["atFloor"], false);
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

TEST(RecommendationJsonTest, TellsTheStartAtTheLimitsAndAtTheCeiling) {
  Recommendation recommendation = SomeRecommendation();
  recommendation.start = StartFigures{StartTime{31, 10}, {6, 9.5}, Cores(1.7)};
  const Json json = EncodeRecommendation(recommendation);
  EXPECT_EQ(json["start"], (Json{{"seconds", 31.0},
                                 {"cpuSeconds", 10.0},
                                 {"atCeiling", {{"seconds", 6.0}, {"cpuSeconds", 9.5}}},
                                 {"startupCpu", 1.7}}));
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

TEST(RecommendationJsonTest, WritesQuantitiesForKubernetes) {
  Recommendation recommendation = SomeRecommendation();
  recommendation.kubernetes = PodResources{Cores(0.93), Cores(2.0), MiB(208), Cores(1.5), "why"};
  Json json = EncodeRecommendation(recommendation);
  EXPECT_EQ(json["kubernetes"], (Json{{"requests", {{"cpu", "930m"}, {"memory", "208Mi"}}},
                                      {"limits", {{"cpu", "2"}, {"memory", "208Mi"}}},
                                      {"startupCpu", "1500m"},
                                      {"because", "why"}}));
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
  recommendation.kubernetes->limits_cpu.reset();
  recommendation.kubernetes->startup_cpu.reset();
  json = EncodeRecommendation(recommendation);
  EXPECT_TRUE(json["kubernetes"]["limits"]["cpu"].is_null());
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

TEST(RecommendationJsonTest, HasTheCurveAndTheBoundOfWhatWasNotSeen) {
  Recommendation recommendation = SomeRecommendation();
  EXPECT_FALSE(EncodeRecommendation(recommendation).contains("curve"));
  CpuPoint point;
  point.cpu = Cores(0.5);
  point.p95_ms = 12;
  point.throttled_share = 0.25;
  recommendation.curve = {point};
  recommendation.rare_events = RareEvents{1500, 0.002};
  const Json json = EncodeRecommendation(recommendation);
  EXPECT_EQ(json["curve"][0]["throttledShare"], 0.25);
  EXPECT_EQ(json["rareEvents"], (Json{{"requests", 1500}, {"upperBound", 0.002}}));
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

TEST(RecommendationJsonTest, TellsNoStartAtLimitsThatNoContainerProved) {
  Recommendation recommendation = SomeRecommendation();
  recommendation.start = StartFigures{std::nullopt, {6, 9.5}, Cores(1.7)};
  const Json json = EncodeRecommendation(recommendation);
  EXPECT_TRUE(json["start"]["seconds"].is_null());
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

TEST(RecommendationJsonTest, TellsWorkersWhereThereAreSome) {
  Recommendation recommendation = SomeRecommendation();
  for (const auto each : {std::optional(MiB(200)), std::optional<Bytes>()}) {
    recommendation.workers = ServingWorkers{4, each, 3};
    const Json json = EncodeRecommendation(recommendation);
    EXPECT_EQ(json["workers"]["count"], 4);
    EXPECT_EQ(json["workers"]["reached"], 3);
    EXPECT_EQ(json["workers"]["perWorkerMemoryInBytes"].is_null(), !each);
    EXPECT_EQ(DecodeRecommendation(json).value().workers, recommendation.workers);
  }
}

TEST(RecommendationJsonTest, TellsADeviceWithItsCountAndItsBound) {
  Recommendation recommendation = SomeRecommendation();
  recommendation.requested.Set(DeviceMemory{GiB(6), 2});
  recommendation.Set(
      {DeviceMemory{GiB(5), 2}, DeviceMemory{GiB(7), 2}, "the device's peak", Confidence::kMedium});
  const Json json = EncodeRecommendation(recommendation);
  EXPECT_EQ(json["device"], (Json{{"memoryInGb", 6.0},
                                  {"memoryInBytes", GiB(6).count()},
                                  {"count", 2},
                                  {"low", 5.0},
                                  {"high", 7.0},
                                  {"reason", "the device's peak"},
                                  {"confidence", "medium"},
                                  {"atFloor", false}}));
  EXPECT_EQ(json["tags"], (Json{{"requestedCpu", "0.4"},
                                {"requestedMemoryInGb", "0.5"},
                                {"requestedDeviceMemoryInGb", "6"},
                                {"requestedDevices", "2"}}));
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

TEST(RecommendationJsonTest, TellsADeviceThatNobodyMeasuredWithoutABound) {
  Recommendation recommendation = SomeRecommendation();
  recommendation.requested.Set(DeviceMemory{GiB(6), 2});
  const Json json = EncodeRecommendation(recommendation);
  EXPECT_EQ(json["device"],
            (Json{{"memoryInGb", 6.0}, {"memoryInBytes", GiB(6).count()}, {"count", 2}}));
  EXPECT_EQ(*DecodeRecommendation(json), recommendation);
}

TEST(MeasurementsJsonTest, TellsADeviceWhereThereIsOne) {
  Measurements m;
  m.measured_at = {Cores(0.4), MiB(512)};
  EXPECT_EQ(EncodeMeasurements(m)["measuredAt"].dump(), R"({"cpu":0.4,"memoryInBytes":536870912})");
  m.measured_at.Set(DeviceMemory{GiB(6), 2});
  const Json json = EncodeMeasurements(m);
  EXPECT_EQ(json["measuredAt"]["device"]["count"], 2);
  EXPECT_EQ(DecodeMeasurements(json)->measured_at, m.measured_at);
}

TEST(MeasurementsJsonTest, WritesNoZeroForWhatWasNotMeasured) {
  const Json json = EncodeMeasurements({});
  for (const char* key : {"maxUtilizedCpu", "maxUtilizedMemoryInBytes", "successRate",
                          "latencyPercentile99InMs", "throttledShare", "startSeconds"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
}

TEST(MeasurementsJsonTest, ReadsBackWhatItWrites) {
  Measurements m;
  m.latency_p99_ms = 1.25;
  m.cache_memory = MiB(3);
  m.rows_replayed = 7;
  m.total_queries = 8;
  m.success_queries = 2;
  const Json json = EncodeMeasurements(m);
  EXPECT_EQ(json["successRate"], 0.25);
  EXPECT_EQ(EncodeMeasurements(*DecodeMeasurements(json)), json);
}

}  // namespace
}  // namespace mlprof
