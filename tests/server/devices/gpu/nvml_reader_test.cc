// The driver's library as it is read, against the imitated one (tests/fakes/nvml_stub).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "server/devices/nvml/clock_reasons.h"
#include "server/devices/nvml/nvml_reader.h"

namespace mlprof::server::nvml {
namespace {

using devices::DeviceProblem;
using devices::SampledFigure;

constexpr const char* kOneCard = R"(driver = 550.54.15
[device]
uuid = GPU-1
name = NVIDIA A100
pci = 00000000:3B:00.0
memory_total = 17179869184
memory_used = 4294967296
memory_reserved = 536870912
busy = 75
memory_busy = 40
power = 250500
energy = 9000500
sm_clock = 1410
memory_clock = 1215
temperature = 61
clock_reasons = 5
accounting = 1
process = 4711 3221225472 3758096384
process = 4712 1073741824
)";

class NvmlReaderTest : public ::testing::Test {
 protected:
  NvmlReaderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mlprof-nvml-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    ::setenv("MLPROF_NVML_STUB", (folder_ / "state").c_str(), 1);
  }
  ~NvmlReaderTest() override {
    ::unsetenv("MLPROF_NVML_STUB");
    std::filesystem::remove_all(folder_);
  }

  void Say(const std::string& state) { std::ofstream(folder_ / "state") << state; }

  static std::string File() { return std::string(MLPROF_NVML_STUB) + "/libnvidia-ml.so.1"; }

  NvmlReader reader_{File(), std::chrono::milliseconds(0)};

 private:
  std::filesystem::path folder_;
};

TEST_F(NvmlReaderTest, TellsWhatThereIs) {
  Say(kOneCard);
  const auto devices = reader_.List();
  ASSERT_TRUE(devices) << devices.error().what;
  ASSERT_EQ(devices->size(), 1U);
  EXPECT_EQ(devices->front(),
            (devices::Device{"GPU-1", "00000000:3B:00.0", "NVIDIA A100", GiB(16)}));
}

TEST_F(NvmlReaderTest, ReadsEveryFigureInItsUnit) {
  Say(kOneCard);
  const auto reading = reader_.Read("GPU-1");
  ASSERT_TRUE(reading) << reading.error().what;
  EXPECT_EQ(reading->memory_total, GiB(16));
  EXPECT_EQ(reading->memory_used, GiB(4));
  EXPECT_EQ(reading->memory_reserved, MiB(512));
  EXPECT_DOUBLE_EQ(*reading->busy, 0.75);
  EXPECT_DOUBLE_EQ(*reading->memory_busy, 0.40);
  EXPECT_DOUBLE_EQ(*reading->watts, 250.5);
  EXPECT_DOUBLE_EQ(*reading->joules, 9000.5);
  EXPECT_EQ(reading->sm_mhz, 1410);
  EXPECT_EQ(reading->memory_mhz, 1215);
  EXPECT_EQ(reading->celsius, 61);
  EXPECT_EQ(reading->throttled_by, (std::vector<std::string>{"swPowerCap"}));
  EXPECT_EQ(reading->processes,
            (std::vector<devices::DeviceProcess>{{4711, GiB(3)}, {4712, GiB(1)}}));
  EXPECT_TRUE(reading->missing.empty());
}

TEST_F(NvmlReaderTest, LeavesAFigureOutThatIsNotThereAndSaysWhy) {
  Say(std::string(kOneCard) + "missing = power processes memory_v2\n");
  const auto reading = reader_.Read("GPU-1");
  ASSERT_TRUE(reading) << reading.error().what;
  EXPECT_EQ(reading->watts, std::nullopt);
  EXPECT_EQ(reading->processes, std::nullopt);
  EXPECT_EQ(reading->missing.at("power"), "not supported by this device");
  EXPECT_TRUE(reading->missing.contains("processes"));
  EXPECT_TRUE(reading->joules.has_value()) << "others stay";
  // The first form of memory counts what the driver keeps for itself as used.
  EXPECT_EQ(reading->memory_used, GiB(4) + MiB(512));
  EXPECT_EQ(reading->memory_reserved, std::nullopt);
}

TEST_F(NvmlReaderTest, TellsNoProcessesFromNobodyKnows) {
  Say("[device]\nuuid = GPU-1\n");
  EXPECT_EQ(reader_.Read("GPU-1")->processes, std::vector<devices::DeviceProcess>());
}

TEST_F(NvmlReaderTest, GivesThePartsInPlaceOfASplitCard) {
  Say(std::string(kOneCard) +
      "[part]\nuuid = MIG-1\nmemory_total = 5368709120\n[part]\nuuid = MIG-2\n"
      "memory_total = 5368709120\nprocess = 99 1048576\n[device]\nuuid = GPU-2\n");
  const auto devices = reader_.List();
  ASSERT_TRUE(devices) << devices.error().what;
  ASSERT_EQ(devices->size(), 3U);
  EXPECT_EQ(devices->at(0).uuid, "MIG-1");
  EXPECT_EQ(devices->at(0).card, "GPU-1");
  EXPECT_EQ(devices->at(0).memory, GiB(5));
  EXPECT_EQ(devices->at(0).pci, "00000000:3B:00.0");
  EXPECT_EQ(devices->at(2).uuid, "GPU-2");
  EXPECT_EQ(reader_.Read("MIG-2")->processes->front().pid, 99);
}

TEST_F(NvmlReaderTest, ReadsWhatTheDriverSampledSince) {
  Say(kOneCard);
  const auto all = reader_.Samples("GPU-1", SampledFigure::kBusy, {});
  ASSERT_TRUE(all && *all);
  ASSERT_GT((*all)->size(), 2U);
  EXPECT_DOUBLE_EQ((*all)->back().value, 0.75);
  EXPECT_EQ((*all)->at(1).at - (*all)->at(0).at, std::chrono::microseconds(166'667));
  const auto newer = reader_.Samples("GPU-1", SampledFigure::kBusy, (*all)->back().at);
  ASSERT_TRUE(newer && *newer);
  EXPECT_LT((*newer)->size(), 2U);
  EXPECT_DOUBLE_EQ((*reader_.Samples("GPU-1", SampledFigure::kPower, {}))->back().value, 250.5);
  Say(std::string(kOneCard) + "missing = samples\n");
  EXPECT_EQ(*reader_.Samples("GPU-1", SampledFigure::kBusy, {}), std::nullopt);
}

TEST_F(NvmlReaderTest, KnowsThePeakOfAProcessWhereItIsAccounted) {
  Say(kOneCard);
  EXPECT_EQ(*reader_.PeakOf("GPU-1", 4711), MiB(3584));
  EXPECT_EQ(*reader_.PeakOf("GPU-1", 4712), std::nullopt);
  Say(std::string(kOneCard) + "accounting = 0\n");
  EXPECT_EQ(*reader_.PeakOf("GPU-1", 4711), std::nullopt);
}

TEST_F(NvmlReaderTest, TellsEachWayToHaveNoDeviceFromTheOthers) {
  NvmlReader nowhere("/nonexistent/libnvidia-ml.so.1");
  EXPECT_EQ(nowhere.List().error().problem, DeviceProblem::kNoLibrary);
  EXPECT_EQ(reader_.List().error().problem, DeviceProblem::kNoDriver);
  Say("init = 18\n");
  EXPECT_EQ(reader_.List().error().problem, DeviceProblem::kOtherVersion);
  Say("init = 4\n");
  EXPECT_EQ(reader_.List().error().problem, DeviceProblem::kNoPermission);
  Say("driver = 550.54.15\n");
  EXPECT_EQ(reader_.List().error().problem, DeviceProblem::kNoDevice);
  Say(kOneCard);
  EXPECT_TRUE(reader_.List()) << "a driver that is mended later is found";
  EXPECT_EQ(reader_.Read("GPU-9").error().problem, DeviceProblem::kUnknownDevice);
}

TEST_F(NvmlReaderTest, OpensTheLibraryAgainOnceADriverThatWentIsBack) {
  Say(kOneCard);
  ASSERT_TRUE(reader_.Read("GPU-1"));
  Say("init = 18\n");
  EXPECT_EQ(reader_.Read("GPU-1").error().problem, DeviceProblem::kOtherVersion);
  EXPECT_EQ(reader_.List().error().problem, DeviceProblem::kOtherVersion);
  Say(kOneCard);
  EXPECT_TRUE(reader_.List());
  EXPECT_TRUE(reader_.Read("GPU-1"));
}

TEST_F(NvmlReaderTest, TriesAgainNowAndThenAndNotWithEachQuestion) {
  NvmlReader seldom(File(), std::chrono::hours(1));
  Say("init = 18\n");
  EXPECT_EQ(seldom.List().error().problem, DeviceProblem::kOtherVersion);
  Say(kOneCard);
  EXPECT_EQ(seldom.List().error().problem, DeviceProblem::kOtherVersion)
      << "the hour is not over: what is told is the last failure";
}

TEST_F(NvmlReaderTest, TellsASplitCardWithoutPartsFromNoCard) {
  Say(std::string(kOneCard) + "split = 1\n");
  const auto devices = reader_.List();
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().problem, DeviceProblem::kNoPart);
  EXPECT_NE(devices.error().what.find("GPU-1"), std::string::npos);
  EXPECT_NE(devices.error().remedy.find("mig -cgi"), std::string::npos);
  Say(std::string(kOneCard) + "split = 1\n[device]\nuuid = GPU-2\n");
  EXPECT_EQ(reader_.List()->size(), 1U) << "others can be used";
}

TEST_F(NvmlReaderTest, KnowsADeviceThatIsLost) {
  Say(kOneCard);
  ASSERT_TRUE(reader_.Read("GPU-1"));
  Say(std::string(kOneCard) + "lost = 1\n");
  EXPECT_EQ(reader_.Read("GPU-1").error().problem, DeviceProblem::kLost);
  EXPECT_EQ(reader_.List().error().problem, DeviceProblem::kLost);
  Say("[device]\nuuid = GPU-2\n[device]\nuuid = GPU-1\ngone = 1\n");
  EXPECT_EQ(reader_.Read("GPU-1").error().problem, DeviceProblem::kLost)
      << "what was there and is no longer listed has fallen off the bus";
  EXPECT_EQ(reader_.List()->size(), 1U) << "others can be used";
}

TEST(DeviceErrorTest, SaysWhatToDoForEachProblemInWordsOfItsOwn) {
  std::set<std::string> sentences;
  for (int problem = 0; problem <= static_cast<int>(DeviceProblem::kFailed); ++problem) {
    const auto error = devices::MakeError(static_cast<DeviceProblem>(problem), "detail");
    EXPECT_FALSE(error.remedy.empty());
    EXPECT_NE(error.what.find("(detail)"), std::string::npos);
    EXPECT_TRUE(sentences.insert(error.what).second) << error.what;
    EXPECT_TRUE(sentences.insert(error.remedy).second) << error.remedy;
  }
}

TEST(ClockReasonsTest, NamesThoseThatSlowADevice) {
  EXPECT_TRUE(ClockReasons(0x1 | 0x2).empty()) << "idle, and set by its owner";
  EXPECT_EQ(ClockReasons(0x8 | 0x40),
            (std::vector<std::string>{"hwSlowdown", "hwThermalSlowdown"}));
}

}  // namespace
}  // namespace mlprof::server::nvml
