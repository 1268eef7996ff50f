// What keeps a model on a device from being faster, by its marks, and settings of frameworks.
#include "server/analysis/device_limit.h"

#include <gtest/gtest.h>

#include "server/analysis/device_settings.h"
#include "server/analysis/device_use.h"

namespace mlprof::server {
namespace {

using std::chrono::seconds;

LimitedBy By(const DeviceLoad& load) { return JudgeDeviceLimit(load)->by; }

TEST(DeviceLimitTest, IsTheFirstThatMeetsItsMark) {
  EXPECT_EQ(By({0.95, 0.85, 0.5, 0.5}), LimitedBy::kMemoryBandwidth);
  EXPECT_EQ(By({0.95, 0.40, 0.5, 0.5}), LimitedBy::kSm);
  EXPECT_EQ(By({0.30, 0.10, 0.5, 0.95}), LimitedBy::kHostCpu);
  EXPECT_EQ(By({0.30, 0.10, 0.97, 0.5}), LimitedBy::kMemory);
  EXPECT_EQ(By({0.30, 0.10, 0.5, 0.5}), LimitedBy::kNothing);
}

TEST(DeviceLimitTest, CountsAMarkThatIsJustMet) {
  EXPECT_EQ(By({kDeviceBusyMark, {}, {}, {}}), LimitedBy::kSm);
  EXPECT_EQ(By({kDeviceBusyMark - 0.001, {}, {}, {}}), LimitedBy::kNothing);
}

TEST(DeviceLimitTest, ClaimsNothingOfWhatWasNotRead) {
  EXPECT_FALSE(JudgeDeviceLimit({}));
  EXPECT_FALSE(JudgeDeviceLimit({{}, {}, {}, 1.0})) << "the host alone says nothing of a device";
  const auto limit = JudgeDeviceLimit({{}, {}, 0.5, 1.0});
  EXPECT_EQ(limit->by, LimitedBy::kNothing) << "that it waits for the host takes its busy share";
  EXPECT_NE(limit->reason.find("kernels ran not told"), std::string::npos) << limit->reason;
}

TEST(DeviceLimitTest, SaysItsFiguresAndItsMark) {
  const auto limit = JudgeDeviceLimit({0.4, 0.85, 0.25, 0.5});
  EXPECT_EQ(limit->reason,
            "kernels ran 40% of the time, memory was used 85%, memory held 25%, CPU limit used "
            "50%: 80% of memory's time is the mark");
}

TEST(DeviceLimitTest, OfATpuIsItsTensorCores) {
  const auto limit = JudgeDeviceLimit({0.95, 0.10, 0.25, 0.5, DeviceKind::kTpu});
  EXPECT_EQ(limit->by, LimitedBy::kTensorCore);
  EXPECT_NE(limit->reason.find("duty cycle 95% of the time"), std::string::npos) << limit->reason;
  EXPECT_EQ(JudgeDeviceLimit({0.30, 0.10, 0.97, 0.5, DeviceKind::kTpu})->by, LimitedBy::kMemory);
}

TEST(DeviceSettingsTest, KeepWhatTheModelSaysItself) {
  const DeviceSettings own = {{"TF_FORCE_GPU_ALLOW_GROWTH", "false"},
                              {"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128"}};
  const DeviceSettings growth = GrowthSettings(own);
  EXPECT_EQ(growth.at("TF_FORCE_GPU_ALLOW_GROWTH"), "false");
  EXPECT_EQ(growth.at("XLA_PYTHON_CLIENT_PREALLOCATE"), "false");
  EXPECT_EQ(growth.at("PYTORCH_CUDA_ALLOC_CONF"), "max_split_size_mb:128,expandable_segments:True");
}

TEST(DeviceSettingsTest, CapByAShareOfTheDevice) {
  const DeviceSettings cap = CapSettings({}, GiB(4), GiB(16));
  EXPECT_EQ(cap.at("XLA_PYTHON_CLIENT_MEM_FRACTION"), "0.25000");
  EXPECT_EQ(cap.at("PYTORCH_CUDA_ALLOC_CONF"),
            "expandable_segments:True,per_process_memory_fraction:0.25000");
  EXPECT_EQ(cap.at("TF_FORCE_GPU_ALLOW_GROWTH"), "true");
}

TEST(DeviceUseTest, IsThatOfTheFullestDevice) {
  DeviceUse use;
  EXPECT_EQ(use.Peak(), std::nullopt);
  use.devices.resize(3);
  use.devices[0].peak = GiB(2);
  use.devices[1].peak = GiB(3);
  use.devices[1].peak_from = DeviceMemoryFrom::kWholeDevice;
  use.devices[0].total = GiB(16);
  use.devices[1].total = GiB(8);
  EXPECT_EQ(use.Peak(), GiB(3));
  EXPECT_EQ(use.Total(), GiB(8));
  EXPECT_EQ(use.PeakFrom(), DeviceMemoryFrom::kWholeDevice) << "as sure as the least sure";
}

TEST(DeviceUseTest, MeansAreOfTheStretchAlone) {
  const std::vector<SeriesPoint> points = {{seconds(1), 0.1}, {seconds(2), 0.5}, {seconds(3), 0.7}};
  EXPECT_DOUBLE_EQ(*MeanBetween(points, seconds(2), seconds(3)), 0.6);
  EXPECT_EQ(MeanBetween(points, seconds(4), seconds(9)), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server
