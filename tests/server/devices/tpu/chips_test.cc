// TPU chips of a machine, as its bus and /dev tell of them.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/devices/gpu/device_pool.h"
#include "server/devices/tpu/launch.h"
#include "server/devices/tpu/pci_chips.h"
#include "server/devices/tpu/tpu_reader.h"
#include "tests/fakes/pci_tree.h"

namespace mlprof::server::tpu {
namespace {

using devices::DevicePool;
using devices::DeviceProblem;
using fakes::PciTree;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr const char* kGoogle = "0x1ae0";

TEST(TpuChipsTest, AreToldFromOtherDevicesOfTheBus) {
  const PciTree tree;
  tree.Add("0000:00:03.0", "0x10de", "0x2330", 9);  // a GPU
  tree.Add("0000:00:04.0", kGoogle, "0x0042");      // a network card of Google's
  tree.AddV5e("0000:00:05.0", 0);
  const auto chips = FindChips(tree.root());
  ASSERT_THAT(chips, SizeIs(1));
  EXPECT_STREQ(chips[0].generation->name, "v5e");
  EXPECT_EQ(chips[0].pci, "0000:00:05");
  EXPECT_THAT(chips[0].files, ElementsAre("/dev/vfio/0"));
}

TEST(TpuChipsTest, OfEachGenerationHaveTheirMemoryAndCores) {
  const auto is = [](const char* device, const char* subsystem, const char* name, Bytes memory,
                     int cores) {
    const auto* generation = FindGeneration(device, subsystem);
    ASSERT_NE(generation, nullptr) << name;
    EXPECT_STREQ(generation->name, name);
    EXPECT_EQ(generation->memory, memory) << name;
    EXPECT_EQ(generation->cores, cores) << name;
  };
  is("0x0027", "0x004e", "v2", GiB(16), 2);
  is("0x0027", "0x004f", "v3", GiB(32), 2);
  is("0x005e", "", "v4", GiB(32), 1);
  is("0x0063", "", "v5e", GiB(16), 1);
  is("0x0062", "", "v5p", GiB(95), 1);
  is("0x006f", "", "v6e", GiB(32), 1);
  is("0x0076", "", "7x", GiB(192), 2);
  EXPECT_EQ(FindGeneration("0x0027", "0x0001"), nullptr);
}

TEST(TpuChipsTest, AreInTheOrderOfTheirGroupsAndNotOfTexts) {
  const PciTree tree;
  tree.AddV5e("0000:00:04.0", 10);
  tree.AddV5e("0000:00:05.0", 9);
  const auto chips = FindChips(tree.root());
  ASSERT_THAT(chips, SizeIs(2));
  EXPECT_EQ(chips[0].pci, "0000:00:05");
  EXPECT_EQ(chips[1].ordinal, 1);
}

TEST(TpuChipsTest, OfTwoFunctionsAreOneWithTwoFiles) {
  const PciTree tree;
  for (int core : {0, 1}) {
    tree.Add("0000:00:04." + std::to_string(core), kGoogle, "0x0076", core);
    tree.AddFile("vfio/" + std::to_string(core));
  }
  const auto chips = FindChips(tree.root());
  ASSERT_THAT(chips, SizeIs(1));
  EXPECT_THAT(chips[0].files, ElementsAre("/dev/vfio/0", "/dev/vfio/1"));
}

TEST(TpuChipsTest, WithoutAnyAreToldWithWhatToDo) {
  const PciTree tree;
  TpuReader reader(tree.root());
  const auto none = reader.List();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().problem, DeviceProblem::kNoDevice);
  EXPECT_THAT(none.error().remedy, HasSubstr("leave --accelerator out"));
}

TEST(TpuChipsTest, WithoutTheirFilesAreAProblemOfTheDriver) {
  const PciTree tree;
  tree.Add("0000:00:04.0", kGoogle, "0x005e");
  TpuReader reader(tree.root());
  const auto none = reader.List();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().problem, DeviceProblem::kNoDriver);
  tree.AddFile("accel0");
  const auto chips = reader.List();
  ASSERT_TRUE(chips);
  EXPECT_THAT(chips->at(0).files, ElementsAre("/dev/accel0"));
  EXPECT_EQ(chips->at(0).name, "TPU v4");
  EXPECT_EQ(chips->at(0).memory, GiB(32));
}

TEST(TpuChipsTest, ThatLeaveTheBusAreLost) {
  const PciTree tree;
  tree.AddV5e("0000:00:04.0", 0);
  TpuReader reader(tree.root());
  EXPECT_EQ(reader.Read("TPU-0000:00:09").error().problem, DeviceProblem::kUnknownDevice);
  ASSERT_TRUE(reader.List());
  ASSERT_TRUE(reader.Read("TPU-0000:00:04"));
  tree.Remove("0000:00:04.0");
  EXPECT_EQ(reader.Read("TPU-0000:00:04").error().problem, DeviceProblem::kLost);
}

class TpuPoolTest : public ::testing::Test {
 protected:
  TpuPoolTest() {
    tree_.AddV5e("0000:00:04.0", 0);
    tree_.AddV5e("0000:00:05.0", 1);
  }
  PciTree tree_;
  DevicePool pool_{std::make_shared<TpuReader>(tree_.root()), {"TPU chip", "`tpu-info -p`"}};
};

TEST_F(TpuPoolTest, LendsAChipToOneProfileAtATime) {
  auto first = pool_.Take(1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->devices()[0].uuid, "TPU-0000:00:04");
  auto second = pool_.Take(1);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->devices()[0].uuid, "TPU-0000:00:05");
  const auto third = pool_.Take(1);
  ASSERT_FALSE(third);
  EXPECT_TRUE(third.error().wait);
}

TEST_F(TpuPoolTest, PassesOverAChipThatSomebodyHasOpen) {
  tree_.Open(4711, "/dev/vfio/0");
  const auto lease = pool_.Take(1);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->devices()[0].uuid, "TPU-0000:00:05");
  EXPECT_THAT(lease->skipped(), HasSubstr("TPU-0000:00:04 is in use by others (process 4711)"));
  const auto both = pool_.Take(2);
  ASSERT_FALSE(both);
  EXPECT_FALSE(both.error().wait);
  EXPECT_THAT(both.error().why, HasSubstr("2 TPU chips are asked for"));
  EXPECT_THAT(both.error().remedy, HasSubstr("tpu-info"));
}

// As a user who may not look into others' processes.
class Unprivileged {
 public:
  Unprivileged() { EXPECT_TRUE(geteuid() != 0 || seteuid(kNobody) == 0); }
  ~Unprivileged() { EXPECT_EQ(seteuid(getuid()), 0); }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
};

TEST_F(TpuPoolTest, DoubtsAChipWhoseHoldersItMayNotSee) {
  tree_.Open(4711, "/dev/vfio/0");
  const auto descriptors = tree_.root() / "proc/4711/fd";
  std::filesystem::permissions(tree_.root(), std::filesystem::perms(0755));
  std::filesystem::permissions(descriptors, std::filesystem::perms(0));
  {
    const Unprivileged somebody;
    const auto lease = pool_.Take(1);
    ASSERT_TRUE(lease) << lease.error().why;
    EXPECT_THAT(lease->doubts(), HasSubstr("seen by root alone"));
  }
  std::filesystem::permissions(descriptors, std::filesystem::perms(0700));
}

TEST_F(TpuPoolTest, SaysHowManyThereAre) {
  const auto four = pool_.CheckCount(4);
  ASSERT_FALSE(four);
  EXPECT_THAT(four.error().why, HasSubstr("this machine has 2 TPU chips"));
}

TEST_F(TpuPoolTest, GivesAContainerItsFilesAndWhatTheMetadataServerWouldSay) {
  static_cast<void>(pool_.Take(1));
  const auto first = pool_.Take(1);
  const auto second = pool_.Take(1);
  ASSERT_TRUE(second);
  const TpuLaunch launch = LaunchOf(second->devices());
  EXPECT_THAT(launch.files, ElementsAre("/dev/vfio/1", "/dev/vfio/vfio"));
  const auto& environment = launch.environment;
  EXPECT_EQ(environment.at("TPU_VISIBLE_CHIPS"), "1");
  EXPECT_EQ(environment.at("TPU_CHIPS_PER_PROCESS_BOUNDS"), "1,1,1");
  EXPECT_EQ(environment.at("TPU_ACCELERATOR_TYPE"), "v5litepod-1");
  EXPECT_EQ(environment.at("TPU_SKIP_MDS_QUERY"), "true");
  EXPECT_EQ(environment.at("TPU_RUNTIME_METRICS_PORTS"), "8431");
}

TEST(TpuLaunchTest, OfSeveralChipsIsARectangle) {
  std::vector<devices::Device> chips(4);
  for (int i = 0; i < 4; ++i) {
    auto& chip = chips[static_cast<std::size_t>(i)];
    chip.ordinal = i;
    chip.model = "v4";
    chip.files = {"/dev/accel" + std::to_string(i)};
  }
  const TpuLaunch launch = LaunchOf(chips);
  EXPECT_THAT(launch.files, SizeIs(4));
  EXPECT_EQ(launch.environment.at("TPU_VISIBLE_CHIPS"), "0,1,2,3");
  EXPECT_EQ(launch.environment.at("TPU_CHIPS_PER_PROCESS_BOUNDS"), "2,2,1");
  EXPECT_EQ(launch.environment.at("TPU_ACCELERATOR_TYPE"), "v4-8");
  EXPECT_FALSE(IsTpuCount(3));
  EXPECT_FALSE(IsTpuCount(0));
  EXPECT_TRUE(IsTpuCount(8));
  EXPECT_TRUE(LaunchOf({}).empty());
}

}  // namespace
}  // namespace mlprof::server::tpu
