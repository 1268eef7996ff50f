// Profiles on TPUs from their request to their end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_tpu.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TpuProfileTest : public ::testing::Test {
 protected:
  TpuProfileTest() : TpuProfileTest(true) {}
  explicit TpuProfileTest(bool with_service)
      : bench_(with_service ? tpu_.OnThis(AModel()) : AModel()) {
    bench_.tpus = &tpu_.pool;
    bench_.more_instruments = {tpu_.Instrument()};
    bench_.Restart();
    bench_.RegisterInputs(TextRows(20));
  }
  ~TpuProfileTest() override { bench_.Close(); }

  FakeModel AModel() const {
    FakeModel model;
    model.silent = held_;
    return model;
  }
  // The model answers no row from here on, and its service was read.
  void HoldAt(const std::string& phase) {
    bench_.AwaitPhase(bench_.service().Get("default", "p")->id, phase);
    const int asked = tpu_.service.asked(kUsage);
    bench_.AwaitUntil([&] { return tpu_.service.asked(kUsage) > asked + 1; });
    *held_ = true;
    const int held = tpu_.service.asked(kUsage);
    bench_.AwaitUntil([&] { return tpu_.service.asked(kUsage) > held + 1; });
  }

  Result<CreatedProfile> Create(const std::string& name, int count = 1) {
    ProfileRequest request = bench_.Request(name, kBudget);
    request.accelerator = {AcceleratorType::kTpu, count};
    return bench_.service().Create("default", request, {});
  }
  static std::string WordsOf(const Profile& profile, const std::string& code) {
    for (const Warning& warning : profile.warnings) {
      if (warning.code == code) return warning.message;
    }
    return "";
  }

  static constexpr const char* kUsage = "tpu.runtime.hbm.memory.usage.bytes";
  FakeTpu tpu_;
  std::shared_ptr<std::atomic<bool>> held_ = std::make_shared<std::atomic<bool>>(false);
  ProfilingBench bench_;
};

class OldLibtpuTest : public TpuProfileTest {
 protected:
  OldLibtpuTest() : TpuProfileTest(false) {}
};

TEST_F(TpuProfileTest, TellMemoryDutyCycleAndWhatLimits) {
  ASSERT_TRUE(Create("p"));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  const Recommendation& answer = *profile.recommendation;
  ASSERT_TRUE(answer.device) << WordsOf(profile, "deviceNotMeasured");
  EXPECT_EQ(answer.device->kind, DeviceKind::kTpu);
  EXPECT_EQ(answer.device->needed, GiB(3));
  EXPECT_EQ(answer.device->needed_by, NeededBy::kGrowth);
  EXPECT_EQ(answer.device->memory_from, "runtime");
  ASSERT_TRUE(answer.device->limit);
  EXPECT_EQ(answer.device->limit->by, LimitedBy::kTensorCore);
  EXPECT_THAT(answer.device->limit->reason, HasSubstr("duty cycle 95%"));
  const auto requested = answer.requested.device_memory();
  ASSERT_TRUE(requested);
  EXPECT_GE(requested->each, GiB(3));
  EXPECT_LE(requested->each, GiB(4));
  EXPECT_TRUE(answer.verified);
  EXPECT_EQ(tpu_.pool.held(), 0U);
}

TEST_F(TpuProfileTest, GiveEachContainerTheFilesOfTheirChipsAndNoGpu) {
  ASSERT_TRUE(Create("p"));
  ASSERT_EQ(bench_.AwaitEnd("p").state, ProfileState::kSucceeded);
  ASSERT_FALSE(bench_.runtime.launches().empty());
  for (const LaunchRequest& launch : bench_.runtime.launches()) {
    EXPECT_THAT(launch.device_files, ElementsAre("/dev/vfio/0", "/dev/vfio/vfio"));
    EXPECT_THAT(launch.devices, IsEmpty());
  }
}

TEST_F(TpuProfileTest, AreRefusedBeforeAnythingStartsWhereThereAreNotSoMany) {
  const auto four = Create("p", 4);
  ASSERT_FALSE(four);
  EXPECT_THAT(four.error().fields().at(0).detail, HasSubstr("this machine has 2 TPU chips"));
  const auto three = Create("q", 3);
  ASSERT_FALSE(three);
  EXPECT_EQ(three.error().fields().at(0).pointer, "/accelerator/count");
  EXPECT_THAT(three.error().fields().at(0).detail, HasSubstr("1, 2, 4 or 8"));
  EXPECT_TRUE(bench_.runtime.launches().empty());
}

TEST_F(TpuProfileTest, AreRefusedWithWhatToDoWhereThereIsNone) {
  tpu_.tree.Remove("0000:00:04.0");
  tpu_.tree.Remove("0000:00:05.0");
  const auto created = Create("p");
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().fields().at(0).detail, HasSubstr("this machine has no TPU chip"));
  EXPECT_THAT(created.error().fields().at(0).detail, HasSubstr("leave --accelerator out"));
}

TEST_F(TpuProfileTest, EndWithTheReasonWhereOthersHaveAChipOpen) {
  ASSERT_TRUE(Create("p", 2));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "DeviceUnavailable");
  EXPECT_THAT(profile.error->message, HasSubstr("in use by others (process 4711)"));
  EXPECT_TRUE(bench_.runtime.launches().empty());
}

TEST_F(TpuProfileTest, EndWithThatWhereTheChipLeavesTheBus) {
  ASSERT_TRUE(Create("p"));
  HoldAt("warmUp");
  tpu_.tree.Remove("0000:00:04.0");
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "DeviceLost");
  EXPECT_THAT(profile.error->message, HasSubstr("not on the bus any more"));
  EXPECT_EQ(tpu_.pool.held(), 0U);
}

TEST_F(TpuProfileTest, EndWithThatWhereTheMetricServiceIsLostWhileTheModelLives) {
  ASSERT_TRUE(Create("p"));
  HoldAt("warmUp");
  tpu_.service.FailWith(14);
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "DeviceMetricsLost");
  EXPECT_THAT(profile.error->message, HasSubstr("does so no more, although the model still runs"));
  EXPECT_TRUE(profile.reruns.empty());
  EXPECT_EQ(tpu_.pool.held(), 0U);
  EXPECT_EQ(bench_.runtime.running(), 0);
}

TEST_F(OldLibtpuTest, SaysThatMemoryWasNotMeasuredAndWhy) {
  ASSERT_TRUE(Create("p"));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->device, std::nullopt);
  const std::string words = WordsOf(profile, "deviceNotMeasured");
  EXPECT_THAT(words, HasSubstr("(HBM) was not measured"));
  EXPECT_THAT(words, HasSubstr("nothing listens on port 8431"));
  EXPECT_THAT(words, HasSubstr("no process of the model was seen with the chip open"));
}

}  // namespace
}  // namespace mlprof::server
