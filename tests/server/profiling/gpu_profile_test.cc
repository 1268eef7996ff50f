// Profiles on GPUs from their request to their end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_gpu_model.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using ::testing::HasSubstr;

class GpuProfileTest : public ::testing::Test {
 protected:
  GpuProfileTest() : bench_(gpu_.OnThis()) {
    bench_.gpus = &pool_;
    bench_.more_instruments = {gpu_.Instrument()};
    bench_.Restart();
    bench_.RegisterInputs(TextRows(20));
  }
  ~GpuProfileTest() override { bench_.Close(); }

  Result<CreatedProfile> Create(const std::string& name, int count = 1) {
    ProfileRequest request = bench_.Request(name, kBudget);
    request.accelerator = {AcceleratorType::kGpu, count};
    return bench_.service().Create("default", request, {});
  }

  FakeGpuModel gpu_;
  devices::DevicePool pool_{gpu_.reader};
  ProfilingBench bench_;
};

TEST_F(GpuProfileTest, TellNeededFromReservedAndProveIt) {
  ASSERT_TRUE(Create("p"));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  const Recommendation& answer = *profile.recommendation;
  ASSERT_TRUE(answer.device);
  EXPECT_EQ(answer.device->needed_by, NeededBy::kCap);
  EXPECT_EQ(answer.device->reserved, GiB(12) + gpu_.context);
  EXPECT_LT(answer.device->needed, GiB(4));
  EXPECT_TRUE(answer.verified);
  const auto requested = answer.requested.device_memory();
  ASSERT_TRUE(requested);
  EXPECT_EQ(requested->count, 1);
  EXPECT_GE(requested->each, answer.device->needed);
  EXPECT_LT(requested->each, GiB(4));
  EXPECT_TRUE(answer.environment_variables.contains("XLA_PYTHON_CLIENT_MEM_FRACTION"));
  EXPECT_EQ(pool_.held(), 0U);
  for (const LaunchRequest& launch : bench_.runtime.launches()) {
    EXPECT_EQ(launch.devices, (std::vector<std::string>{"GPU-1"}));
  }
}

TEST_F(GpuProfileTest, AreProvenWithWhatIsReservedWhereLessDidNotHold) {
  gpu_.holds_each_cap_once = true;
  ASSERT_TRUE(Create("p"));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  const Recommendation& answer = *profile.recommendation;
  EXPECT_TRUE(answer.verified);
  EXPECT_EQ(answer.device->needed_by, NeededBy::kAsItIs);
  EXPECT_EQ(answer.device->needed, answer.device->reserved);
  EXPECT_FALSE(answer.environment_variables.contains("XLA_PYTHON_CLIENT_MEM_FRACTION"));
}

TEST_F(GpuProfileTest, AreJudgedByTheCpuThatIsRecommendedRatherThanByTheCeiling) {
  ASSERT_TRUE(Create("p"));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  const Recommendation& answer = *profile.recommendation;
  ASSERT_LT(answer.requested.cpu(), *profile.request.ceiling.cpu);
  // One row at a time keeps one thread busy: all of the answer's core, half of the ceiling's two.
  EXPECT_THAT(answer.device->limit.value().reason, HasSubstr("CPU limit used 100%"));
}

TEST_F(GpuProfileTest, SayThatNobodyCanTellWhetherTheDeviceWasFree) {
  gpu_.reader->Adjust(
      "GPU-1", [](devices::FakeDeviceReader::Entry& entry) { entry.reading.memory_used = GiB(2); });
  ASSERT_TRUE(Create("p"));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  const auto told = std::find_if(profile.warnings.begin(), profile.warnings.end(),
                                 [](const Warning& w) { return w.code == "deviceNotJudged"; });
  ASSERT_NE(told, profile.warnings.end());
  EXPECT_THAT(told->message, HasSubstr("2048 MiB of its memory are held"));
}

TEST_F(GpuProfileTest, AreRefusedBeforeAnythingStartsWhereThereAreNotSoMany) {
  const auto created = Create("p", 2);
  ASSERT_FALSE(created);
  ASSERT_EQ(created.error().fields().size(), 1U);
  EXPECT_EQ(created.error().fields()[0].pointer, "/accelerator/count");
  EXPECT_THAT(created.error().fields()[0].detail, HasSubstr("this machine has 1 GPU"));
  EXPECT_TRUE(bench_.runtime.launches().empty());
}

TEST_F(GpuProfileTest, AreRefusedWithTheRemedyWhereThereIsNoDriver) {
  gpu_.reader->FailWith(devices::DeviceProblem::kOtherVersion);
  const auto created = Create("p");
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().fields().at(0).detail, HasSubstr("different versions"));
  EXPECT_THAT(created.error().fields().at(0).detail, HasSubstr("restart the machine"));
}

TEST_F(GpuProfileTest, EndWithTheReasonWhereOthersUseTheDevice) {
  gpu_.reader->Adjust("GPU-1", [](devices::FakeDeviceReader::Entry& entry) {
    entry.reading.processes = {{4711, GiB(1)}};
  });
  ASSERT_TRUE(Create("p"));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "DeviceUnavailable");
  EXPECT_THAT(profile.error->message, HasSubstr("in use by others (process 4711)"));
  EXPECT_TRUE(bench_.runtime.launches().empty());
}

TEST_F(GpuProfileTest, EndWithThatWhereTheDeviceIsLostAndLeaveNothingReserved) {
  ASSERT_TRUE(Create("p"));
  bench_.AwaitPhase(bench_.service().Get("default", "p")->id, "warmUp");
  gpu_.reader->Lose("GPU-1");
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "DeviceLost");
  EXPECT_THAT(profile.error->message, HasSubstr("fallen off the bus"));
  EXPECT_EQ(profile.recommendation, std::nullopt);
  EXPECT_EQ(bench_.runtime.running(), 0);
  EXPECT_EQ(pool_.held(), 0U);
}

TEST_F(GpuProfileTest, WithoutDevicesAreAsTheyWere) {
  ASSERT_TRUE(bench_.service().Create("default", bench_.Request("p", kBudget), {}));
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.recommendation->device, std::nullopt);
  EXPECT_EQ(profile.recommendation->requested.device_memory(), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server
