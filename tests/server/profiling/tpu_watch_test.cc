// What is read of a container's TPU chips while it stands.
#include "server/profiling/lab/tpu_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "server/profiling/lab/device_instrument.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/fake_tpu.h"

namespace mlprof::server {
namespace {

using fakes::FakeMetricService;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Key;

constexpr const char* kUsage = "tpu.runtime.hbm.memory.usage.bytes";

class TpuWatchTest : public ::testing::Test {
 protected:
  TpuWatchTest() { ports_.Listen(); }

  std::unique_ptr<TpuWatch> Begin(std::vector<std::string> chips = {"TPU-0000:00:04"}) {
    auto watch = TpuWatch::Begin(
        {"c", std::move(chips), [this](const std::string& why) { Tell("lost: " + why); },
         [this](const std::string& why) { Tell("silent: " + why); },
         [this] { return lives_.load(); }},
        tpu::MetricClient([this](Deadline) {
          ++dialed_;
          return ports_.Connect(port_);
        }),
        tpu_.reader, [](const std::string&, pid_t pid) { return pid == FakeTpu::kModel; }, clock_,
        tpu_.times);
    EXPECT_TRUE(watch) << watch.error().message();
    return watch ? std::move(*watch) : nullptr;
  }
  // Until it was read twice more: what was said before is read for certain.
  void AwaitReads() {
    const int until = tpu_.service.asked(kUsage) + 2;
    const Deadline deadline = Deadline::After(std::chrono::seconds(20));
    while (tpu_.service.asked(kUsage) < until && !deadline.Passed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(tpu_.service.asked(kUsage), until);
  }
  // Until it has tried to reach the service a few times more.
  void AwaitDials() {
    const int until = dialed_ + 5;
    const Deadline deadline = Deadline::After(std::chrono::seconds(20));
    while (dialed_ < until && !deadline.Passed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(dialed_, until);
  }
  void Tell(const std::string& words) {
    const std::lock_guard lock(mutex_);
    told_ = words;
    changed_.notify_all();
  }
  std::string AwaitTold() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [this] { return !told_.empty(); });
    return told_;
  }
  std::string told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  FakeTpu tpu_;
  FakeClock clock_;
  FakePorts ports_{tpu_.OnThis().ports};
  std::atomic<int> port_ = tpu::kMetricsPort;
  std::atomic<int> dialed_ = 0;
  std::atomic<bool> lives_ = true;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string told_;
};

TEST_F(TpuWatchTest, KeepsThePeakAndTheTotalThatLibtpuTells) {
  const auto watch = Begin();
  fakes::SayChip(tpu_.service, GiB(5).count(), FakeTpu::kTotal.count(), 50.0);
  AwaitReads();
  fakes::SayChip(tpu_.service, GiB(2).count(), FakeTpu::kTotal.count(), 50.0);
  AwaitReads();
  const DeviceUse use = watch->End();
  EXPECT_EQ(use.Peak(), GiB(5));
  EXPECT_EQ(use.Total(), FakeTpu::kTotal);
  EXPECT_EQ(use.PeakFrom(), DeviceMemoryFrom::kRuntime);
  EXPECT_EQ(use.devices.at(0).memory.back().value, static_cast<double>(GiB(2).count()));
  EXPECT_EQ(use.devices.at(0).busy.back().value, 0.5);
  const auto series = SeriesOf(use);
  EXPECT_THAT(series, Contains(Field(&Series::name, "deviceUtilization")));
  EXPECT_EQ(series.at(0).source, "libtpu");
}

TEST_F(TpuWatchTest, SaysOfMetricsThatThisLibtpuLacksThatTheyAreMissing) {
  const auto watch = Begin();
  AwaitReads();
  EXPECT_LE(tpu_.service.asked("hlo.queue.size.gauge"), 1) << "it is not asked again";
  const DeviceUse use = watch->End();
  EXPECT_THAT(use.devices.at(0).missing, Contains(Key("queue")));
  EXPECT_THAT(use.devices.at(0).missing, Contains(Key("memoryBandwidth")));
  EXPECT_EQ(use.devices.at(0).missing.count("memory"), 0U);
}

TEST_F(TpuWatchTest, ReadsWhatElseIsTold) {
  tpu_.service.Say("tpu.runtime.hbm.utilization.percent", {{0, 85.0}});
  tpu_.service.Say("tpu.runtime.tensorcore.idle_duration.seconds", {{0, 1.5}});
  tpu_.service.Say("hlo.queue.size.gauge", {{0, std::int64_t{4}, true}});
  const auto watch = Begin();
  AwaitReads();
  const OneDeviceUse chip = watch->End().devices.at(0);
  EXPECT_EQ(chip.memory_busy.back().value, 0.85);
  EXPECT_EQ(chip.idle_seconds.back().value, 1.5);
  EXPECT_EQ(chip.queued.back().value, 4.0);
}

TEST_F(TpuWatchTest, AddsTheCoresOfAChip) {
  tpu_.service.Say(
      kUsage, {{0, GiB(1).count()}, {1, GiB(2).count()}, {2, GiB(1).count()}, {3, GiB(0).count()}});
  const auto watch = Begin({"TPU-0000:00:04", "TPU-0000:00:05"});
  AwaitReads();
  const DeviceUse use = watch->End();
  EXPECT_EQ(use.devices.at(0).peak, GiB(3));
  EXPECT_EQ(use.devices.at(1).peak, GiB(1));
}

TEST_F(TpuWatchTest, TellsAServiceThatFellSilentWhileTheModelLives) {
  const auto watch = Begin();
  AwaitReads();
  port_ = 1;
  EXPECT_THAT(AwaitTold(), HasSubstr("silent: libtpu's metric service told of the TPU"));
}

TEST_F(TpuWatchTest, SaysNothingWhileAWorkerThatIsReplacedHasGoneAndTheNextHasNotTheChipYet) {
  tpu_.tree.Open(FakeTpu::kModel, "/dev/vfio/0");
  tpu_.times.silence = std::chrono::milliseconds(0);  // the first word of it would be told
  const auto watch = Begin();
  AwaitReads();
  tpu_.tree.Close(FakeTpu::kModel);
  AwaitReads();  // a look at the chips lies between
  AwaitReads();
  port_ = 1;
  AwaitDials();
  EXPECT_EQ(told(), "");
}

TEST_F(TpuWatchTest, SaysNothingOfOneThatEndsWithItsModel) {
  const auto watch = Begin();
  AwaitReads();
  lives_ = false;
  port_ = 1;
  const DeviceUse use = watch->End();
  EXPECT_EQ(told(), "");
  EXPECT_EQ(use.Peak(), GiB(3)) << "what was read before stays";
}

TEST_F(TpuWatchTest, TellsAChipThatLeftTheBus) {
  ASSERT_TRUE(tpu_.reader->List());
  const auto watch = Begin();
  tpu_.tree.Remove("0000:00:04.0");
  EXPECT_THAT(AwaitTold(), HasSubstr("lost: TPU chip TPU-0000:00:04 is not on the bus"));
}

TEST_F(TpuWatchTest, SaysWhyMemoryWasNotReadByWhoHasTheChip) {
  port_ = 1;
  const std::string none = Begin()->End().devices.at(0).missing.at("memory");
  EXPECT_THAT(none, HasSubstr("did not answer on port 8431 (nothing listens on port 1)"));
  EXPECT_THAT(none, HasSubstr("no process of the model was seen with the chip open"));
  tpu_.tree.Open(FakeTpu::kModel, "/dev/vfio/0");
  const std::string old = Begin()->End().devices.at(0).missing.at("memory");
  EXPECT_THAT(old, HasSubstr("a process of the model has the chip: its libtpu is older"));
}

}  // namespace
}  // namespace mlprof::server
