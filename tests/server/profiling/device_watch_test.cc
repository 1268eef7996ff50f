// What is read of a container's devices while it stands.
#include "server/profiling/lab/device_watch.h"

#include <gtest/gtest.h>

#include <atomic>

#include "server/profiling/lab/device_instrument.h"
#include "tests/fakes/fake_device_reader.h"
#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {
namespace {

using devices::DeviceProblem;
using devices::FakeDeviceReader;
using devices::SampledFigure;
using Entry = FakeDeviceReader::Entry;

constexpr pid_t kModel = 100;
constexpr pid_t kOther = 200;

bool RunsModel(const std::string& container_id, pid_t pid) {
  return container_id == "c" && pid == kModel;
}

class DeviceWatchTest : public ::testing::Test {
 protected:
  std::unique_ptr<DeviceWatch> Begin() {
    auto watch = DeviceWatch::Begin({"c", {"GPU-1"}, [this](const std::string&) { ++lost_; }},
                                    reader_, &RunsModel, clock_);
    EXPECT_TRUE(watch) << watch.error().message();
    return watch ? std::move(*watch) : nullptr;
  }
  void Hold(std::optional<Bytes> model, Bytes others = {}) {
    reader_->Adjust("GPU-1", [&](Entry& entry) {
      entry.reading.memory_used = model.value_or(Bytes()) + others;
      auto& processes = entry.reading.processes.emplace();
      if (model) processes.push_back({kModel, model});
      if (others > Bytes()) processes.push_back({kOther, others});
    });
  }
  // As the watch reads it: what was held before is read for certain.
  void HoldForAWhile(Bytes model, Bytes others = {}) {
    Hold(model, others);
    reader_->AwaitReads(2);
  }
  static const OneDeviceUse& TheOne(const Result<DeviceUse>& use) { return use->devices.at(0); }

  std::shared_ptr<FakeDeviceReader> reader_ =
      std::make_shared<FakeDeviceReader>(std::vector<std::string>{"GPU-1"});
  FakeClock clock_;
  std::atomic<int> lost_ = 0;
};

TEST_F(DeviceWatchTest, KeepsThePeakOfTheContainersProcesses) {
  const auto watch = Begin();
  HoldForAWhile(GiB(3), GiB(5));
  HoldForAWhile(GiB(1), GiB(5));
  const auto use = watch->End();
  ASSERT_TRUE(use) << use.error().message();
  EXPECT_EQ(use->Peak(), GiB(3));
  EXPECT_EQ(use->PeakFrom(), DeviceMemoryFrom::kProcesses);
  EXPECT_EQ(use->Total(), GiB(16));
  EXPECT_EQ(TheOne(use).memory.back().value, static_cast<double>(GiB(1).count()));
}

TEST_F(DeviceWatchTest, TakesThePeakThatTheDriverKeptOfTheOneProcess) {
  const auto watch = Begin();
  HoldForAWhile(GiB(3));
  reader_->Adjust("GPU-1", [](Entry& entry) { entry.peaks[kModel] = GiB(4); });
  const auto use = watch->End();
  EXPECT_EQ(use->Peak(), GiB(4));
  EXPECT_EQ(use->PeakFrom(), DeviceMemoryFrom::kAccounting);
}

TEST_F(DeviceWatchTest, CountsWhatTheDeviceGainedWhereProcessesAreNotTold) {
  reader_->Adjust("GPU-1", [](Entry& entry) {
    entry.reading.processes.reset();
    entry.reading.memory_used = GiB(1);
  });
  const auto watch = Begin();
  reader_->Adjust("GPU-1", [](Entry& entry) { entry.reading.memory_used = GiB(3); });
  const auto use = watch->End();
  EXPECT_EQ(use->Peak(), GiB(2));
  EXPECT_EQ(use->PeakFrom(), DeviceMemoryFrom::kWholeDevice);
}

TEST_F(DeviceWatchTest, DoesNotTakeAListWithoutItsProcessesForNoUse) {
  const auto watch = Begin();
  reader_->Adjust("GPU-1", [](Entry& entry) { entry.reading.memory_used = GiB(3); });
  const auto use = watch->End();
  EXPECT_EQ(use->Peak(), GiB(3)) << "as where the server itself runs in a container";
  EXPECT_EQ(use->PeakFrom(), DeviceMemoryFrom::kWholeDevice);
}

TEST_F(DeviceWatchTest, StaysWithProcessesWhereOneReadingDoesNotTellThem) {
  const auto watch = Begin();
  HoldForAWhile(GiB(3), GiB(5));
  reader_->Adjust("GPU-1", [](Entry& entry) { entry.odd_readings = 1; });
  reader_->AwaitReads(3);
  const auto use = watch->End();
  ASSERT_TRUE(use) << use.error().message();
  EXPECT_EQ(use->Peak(), GiB(3)) << "and not the 8 GiB of the device";
  EXPECT_EQ(use->PeakFrom(), DeviceMemoryFrom::kProcesses);
  for (const SeriesPoint& point : TheOne(use).memory) {
    EXPECT_LE(point.value, static_cast<double>(GiB(3).count()));
  }
}

TEST_F(DeviceWatchTest, TakesTheWholeDeviceThroughoutWhereProcessesAreNotToldForAWhile) {
  const auto watch = Begin();
  HoldForAWhile(GiB(3), GiB(5));
  reader_->Adjust("GPU-1", [](Entry& entry) { entry.odd_readings = 1000; });
  reader_->AwaitReads(12);
  const auto use = watch->End();
  ASSERT_TRUE(use) << use.error().message();
  EXPECT_EQ(use->Peak(), GiB(8));
  EXPECT_EQ(use->PeakFrom(), DeviceMemoryFrom::kWholeDevice);
  EXPECT_EQ(TheOne(use).memory.back().value, static_cast<double>(GiB(8).count()));
}

TEST_F(DeviceWatchTest, LeavesOutWhatTheDeviceDoesNotTell) {
  reader_->Adjust("GPU-1", [](Entry& entry) {
    entry.reading.processes.reset();
    entry.reading.memory_used.reset();
    entry.reading.watts.reset();
  });
  const auto use = Begin()->End();
  EXPECT_EQ(use->Peak(), std::nullopt);
  EXPECT_TRUE(TheOne(use).memory.empty());
  EXPECT_TRUE(TheOne(use).watts.empty());
}

TEST_F(DeviceWatchTest, TakesTheDriversOwnSamplesInPlaceOfReadings) {
  const auto at = [](int seconds_ahead) {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch()) +
           std::chrono::seconds(seconds_ahead);
  };
  reader_->Adjust("GPU-1", [](Entry& entry) { entry.samples[SampledFigure::kBusy] = {}; });
  const auto watch = Begin();
  reader_->Adjust("GPU-1", [&](Entry& entry) {
    entry.reading.busy = 0.1;
    entry.samples[SampledFigure::kBusy] = {{at(-60), 0.3}, {at(1), 0.7}, {at(2), 0.9}};
  });
  const auto use = watch->End();
  ASSERT_EQ(TheOne(use).busy.size(), 2U) << "of those since it began";
  EXPECT_EQ(TheOne(use).busy[0].value, 0.7);
  EXPECT_NEAR(std::chrono::duration<double>(TheOne(use).busy[1].at - clock_.Now()).count(), 2, 1);
  EXPECT_FALSE(TheOne(use).memory_busy.empty()) << "what is not sampled is read";
}

TEST_F(DeviceWatchTest, TellsOnceThatADeviceIsLost) {
  const auto watch = Begin();
  reader_->Lose("GPU-1");
  const auto use = watch->End();
  EXPECT_EQ(lost_, 1);
  ASSERT_FALSE(use);
  EXPECT_NE(use.error().message().find("fallen off the bus"), std::string::npos);
}

TEST_F(DeviceWatchTest, TellsOfADeviceThatWasLostBeforeItBegan) {
  reader_->Lose("GPU-1");
  const auto watch = DeviceWatch::Begin({"c", {"GPU-1"}, [this](const std::string&) { ++lost_; }},
                                        reader_, &RunsModel, clock_);
  EXPECT_FALSE(watch);
  EXPECT_EQ(lost_, 1);
}

TEST_F(DeviceWatchTest, EndsWhereNobodyEndsIt) {
  Begin().reset();
  EXPECT_EQ(reader_.use_count(), 1);
}

TEST(DeviceSeriesTest, AreNamedByTheirDevice) {
  DeviceUse use;
  use.devices.resize(2);
  use.devices[0].memory = {{std::chrono::seconds(1), 5.0}};
  use.devices[1].memory = {{std::chrono::seconds(1), 6.0}};
  use.devices[1].busy = {{std::chrono::seconds(1), 0.5}};
  const std::vector<Series> series = SeriesOf(use);
  ASSERT_EQ(series.size(), 3U);
  EXPECT_EQ(series[0].name, "deviceMemoryInBytes");
  EXPECT_EQ(series[0].unit, "bytes");
  EXPECT_EQ(series[0].source, "nvml");
  EXPECT_EQ(series[1].name, "device1MemoryInBytes");
  EXPECT_EQ(series[2].name, "device1Utilization");
  EXPECT_EQ(series[2].unit, "share");
}

}  // namespace
}  // namespace mlprof::server
