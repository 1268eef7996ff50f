// How much of what a model reserves of its device it needs.
#include <gtest/gtest.h>

#include "server/profiling/phases/device_memory.h"
#include "tests/fakes/fake_gpu_model.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr Limits kWithDevice{Cores(2.0), GiB(4), {GiB(16), 1}};

// What the containers before this phase have shown: most of the device, reserved.
DeviceFindings Reserved(Bytes memory) {
  DeviceFindings seen;
  seen.reserved = memory;
  seen.memory_from = "processes";
  return seen;
}

PhaseResult<DeviceMemoryFacts> Measure(FakeGpuModel& gpu, LabBench& bench) {
  bench.instruments.push_back(gpu.Instrument());
  return MeasureDeviceMemory(bench.lab, bench.MeasuredAt(2), Reserved(GiB(12) + gpu.context));
}

TEST(DeviceMemoryPhaseTest, FindsTheLeastCapThatHolds) {
  FakeGpuModel gpu;
  LabBench bench(gpu.OnThis(), 20, kWithDevice);
  const auto facts = Measure(gpu, bench);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->found.needed_by, NeededBy::kCap);
  EXPECT_GE(facts->found.needed, gpu.need + gpu.context);
  EXPECT_LE(static_cast<double>(facts->found.needed.count()),
            1.06 * static_cast<double>((gpu.need + gpu.context).count()))
      << "within the tolerance of the search";
  EXPECT_EQ(facts->found.reserved, GiB(12) + gpu.context);
  EXPECT_EQ(facts->need, (DeviceMemory{facts->found.needed, 1}));
  const double fraction =
      std::atof(facts->environment.at("XLA_PYTHON_CLIENT_MEM_FRACTION").c_str());
  EXPECT_GT(fraction * static_cast<double>(GiB(16).count()), static_cast<double>(gpu.need.count()))
      << "what is adopted leaves the model its need, with a margin";
  EXPECT_EQ(facts->cut_short, std::nullopt);
}

TEST(DeviceMemoryPhaseTest, SeesHowFastTheModelIsWithTheSettingsThatItAdopts) {
  FakeGpuModel gpu;
  FakeModel model;
  // An allocator that may not take what it likes asks the driver with every row.
  model.sleeps_more = [&] {
    return std::chrono::milliseconds(gpu.reserved.load() < GiB(12) ? 2 : 0);
  };
  LabBench bench(gpu.OnThis(model), 20, kWithDevice);
  const auto facts = Measure(gpu, bench);
  ASSERT_TRUE(facts);
  ASSERT_FALSE(facts->environment.empty());
  EXPECT_EQ(facts->reference.looks.size(), 1U) << "with the settings, and no other";
  ASSERT_TRUE(facts->slower);
  EXPECT_GT(*facts->slower, 1.5);
  EXPECT_GT(*facts->reference.p95_ms, 1.5 * *facts->without.p95_ms);
  EXPECT_EQ(bench.journal.trials.back().environment.at("XLA_PYTHON_CLIENT_MEM_FRACTION"),
            facts->environment.at("XLA_PYTHON_CLIENT_MEM_FRACTION"));
}

TEST(DeviceMemoryPhaseTest, IsWhatGrowthTookWhereNoCapBinds) {
  FakeGpuModel gpu;
  gpu.ignores_fraction = true;
  LabBench bench(gpu.OnThis(), 20, kWithDevice);
  const auto facts = Measure(gpu, bench);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->found.needed_by, NeededBy::kGrowth);
  EXPECT_EQ(facts->found.needed, gpu.grown + gpu.context);
  EXPECT_EQ(facts->environment.at("XLA_PYTHON_CLIENT_PREALLOCATE"), "false");
  EXPECT_FALSE(facts->environment.contains("XLA_PYTHON_CLIENT_MEM_FRACTION"));
}

TEST(DeviceMemoryPhaseTest, TakesNoFailureOfSomethingElseForACapThatBinds) {
  FakeGpuModel gpu;
  gpu.ignores_fraction = true;
  LabBench bench(gpu.OnThis(), 20, kWithDevice);
  bench.instruments.push_back(gpu.Instrument());
  // Under next to nothing it fails twice by chance; what it takes under other caps is what it was.
  gpu.cap_fails = [tries = 0](double) mutable { return ++tries == 2 || tries == 3; };
  const auto facts =
      MeasureDeviceMemory(bench.lab, bench.MeasuredAt(2), Reserved(GiB(12) + gpu.context));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->found.needed_by, NeededBy::kGrowth);
  EXPECT_FALSE(facts->environment.contains("XLA_PYTHON_CLIENT_MEM_FRACTION"));
}

TEST(DeviceMemoryPhaseTest, ClaimsNoMoreThanWhatIsReservedWhereNothingHelps) {
  FakeGpuModel gpu;
  gpu.ignores_fraction = gpu.ignores_growth = true;
  LabBench bench(gpu.OnThis(), 20, kWithDevice);
  const auto facts = Measure(gpu, bench);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->found.needed_by, NeededBy::kAsItIs);
  EXPECT_EQ(facts->found.needed, facts->found.reserved);
  EXPECT_TRUE(facts->environment.empty());
  EXPECT_EQ(facts->slower, std::nullopt) << "it is the model as it came";
}

TEST(DeviceMemoryPhaseTest, KeepsWhatWonBeforeIt) {
  FakeGpuModel gpu;
  LabBench bench(gpu.OnThis(), 20, kWithDevice);
  bench.instruments.push_back(gpu.Instrument());
  Yardstick yardstick = bench.MeasuredAt(2);
  yardstick.setup.environment = {{"OMP_NUM_THREADS", "1"}};
  ASSERT_TRUE(MeasureDeviceMemory(bench.lab, yardstick, Reserved(GiB(12))));
  for (const Trial& trial : bench.journal.trials) {
    EXPECT_EQ(trial.environment.at("OMP_NUM_THREADS"), "1");
    EXPECT_EQ(trial.purpose, TrialPurpose::kDeviceMemory);
  }
}

TEST(SeeDevicesTest, JoinsWhatTheContainersShowed) {
  ContainerFacts null_server;
  null_server.device.emplace().devices.resize(1);
  null_server.device->devices[0].peak = GiB(15);
  ContainerFacts served;
  served.served_model = true;
  OneDeviceUse& device = served.device.emplace().devices.emplace_back();
  device.peak = GiB(8);
  device.total = GiB(16);
  device.busy = {{std::chrono::seconds(1), 1.0}, {std::chrono::seconds(5), 0.5}};
  const auto seen =
      SeeDevices({null_server, served}, std::chrono::seconds(4), std::chrono::seconds(6));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->reserved, GiB(8)) << "a container without the model says nothing of it";
  EXPECT_EQ(seen->busy, 0.5) << "while the load ran";
  EXPECT_EQ(seen->watts, std::nullopt);
  EXPECT_EQ(SeeDevices({null_server}, {}, {}), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server::phases
