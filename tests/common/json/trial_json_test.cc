#include <gtest/gtest.h>

#include "common/json/domain_json.h"

namespace mlprof {
namespace {

TEST(TrialJsonTest, ReadsBackWhatItWrites) {
  Trial trial;
  trial.number = 3;
  trial.purpose = TrialPurpose::kVerification;
  trial.limits = {Cores::FromTenths(7), MiB(48)};
  trial.concurrency = 5;
  trial.seconds = 2.5;
  trial.passed = true;
  trial.verdict = "passed";
  const Json json = EncodeTrial(trial);
  const auto again = DecodeTrial(json);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(EncodeTrial(*again), json);
  EXPECT_EQ(again->limits, trial.limits);
}

TEST(TrialJsonTest, TellsADeviceWhereThereIsOne) {
  Trial trial;
  trial.limits = {Cores::FromTenths(7), MiB(48)};
  EXPECT_EQ(EncodeTrial(trial)["limits"].dump(),
            R"({"cpu":0.7,"memoryInBytes":50331648,"memoryInGb":0.046875})");
  trial.limits.Set(DeviceMemory{GiB(6), 2});
  const Json json = EncodeTrial(trial);
  EXPECT_EQ(json["limits"]["device"],
            (Json{{"memoryInGb", 6.0}, {"memoryInBytes", GiB(6).count()}, {"count", 2}}));
  EXPECT_EQ(DecodeTrial(json)->limits, trial.limits);
}

TEST(TrialJsonTest, HasARateInPlaceOfAConcurrencyInAnOpenLoop) {
  Trial trial;
  trial.purpose = TrialPurpose::kThreadPools;
  trial.requests_per_second = 12.5;
  trial.send_lag_p99_ms = 0.25;
  trial.environment = {{"OMP_NUM_THREADS", "2"}};
  const Json json = EncodeTrial(trial);
  EXPECT_TRUE(json["concurrency"].is_null());
  EXPECT_EQ(json["purpose"], "threadPools");
  const auto again = DecodeTrial(json);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(again->requests_per_second, 12.5);
  EXPECT_EQ(again->send_lag_p99_ms, 0.25);
  EXPECT_EQ(again->environment, trial.environment);
}

TEST(TrialJsonTest, ReadsBackEveryPurpose) {
  for (int i = 0; i <= static_cast<int>(TrialPurpose::kDeviceMemory); ++i) {
    Trial trial;
    trial.purpose = static_cast<TrialPurpose>(i);
    EXPECT_EQ(DecodeTrial(EncodeTrial(trial))->purpose, trial.purpose);
  }
}

TEST(RowRecordJsonTest, WritesNoStatusWhereThereWasNoResponse) {
  RowRecord row;
  row.row = 4;
  row.size = Bytes(12);
  row.cpu_ms = 1.5;
  const Json json = EncodeRowRecord(row);
  EXPECT_TRUE(json["status"].is_null());
  EXPECT_EQ(EncodeRowRecord(*DecodeRowRecord(json)), json);
}
}  // namespace
}  // namespace mlprof
