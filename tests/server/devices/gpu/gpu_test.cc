// Which devices a profile is given, by whom they are used, and readers that hang.
#include <gtest/gtest.h>

#include <future>

#include "common/time/deadline.h"
#include "server/devices/gpu/assignment.h"
#include "server/devices/gpu/container_processes.h"
#include "server/devices/gpu/device_pool.h"
#include "server/devices/gpu/patient_reader.h"
#include "tests/fakes/fake_device_reader.h"

namespace mlprof::server::devices {
namespace {

using Kind = Assignment::Kind;

Candidate Free(const std::string& uuid) { return {{uuid}}; }
Candidate Held(const std::string& uuid) { return {{uuid}, {{7}}, true}; }
Candidate Used(const std::string& uuid, pid_t pid) { return {{uuid}, {{pid}}}; }
Candidate Lost(const std::string& uuid) { return {{uuid}, {}, false, true}; }

std::vector<std::string> Uuids(const std::vector<Device>& devices) {
  std::vector<std::string> uuids;
  for (const Device& device : devices) uuids.push_back(device.uuid);
  return uuids;
}

TEST(AssignmentTest, GivesTheFirstThatAreFree) {
  const Assignment given = Assign({Free("a"), Free("b"), Free("c")}, 2);
  EXPECT_EQ(given.kind, Kind::kGiven);
  EXPECT_EQ(Uuids(given.devices), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(given.why, "");
}

TEST(AssignmentTest, PassesOverWhatOthersUseAndSaysSo) {
  const Assignment given = Assign({Used("a", 4711), Lost("b"), Free("c")}, 1);
  EXPECT_EQ(given.kind, Kind::kGiven);
  EXPECT_EQ(Uuids(given.devices), (std::vector<std::string>{"c"}));
  EXPECT_EQ(given.why, "a is in use by others (process 4711); b is lost");
}

TEST(AssignmentTest, GivesWhatIsInDoubtOnlyWhereNothingSurerIsLeftAndSaysSo) {
  const Candidate doubted{{"a"}, {}, false, false, "", "its processes are not told"};
  const Assignment surer = Assign({doubted, Free("b")}, 1);
  EXPECT_EQ(Uuids(surer.devices), (std::vector<std::string>{"b"}));
  EXPECT_EQ(surer.doubts, "");
  const Assignment both = Assign({doubted, Free("b")}, 2);
  EXPECT_EQ(Uuids(both.devices), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(both.doubts, "a: its processes are not told");
}

TEST(AssignmentTest, GivesNeighboursWhereOnlyTheyAreOfUseTogether) {
  const PoolWords chips{"TPU chip", "", true};
  const Assignment second = Assign({Used("a", 4711), Free("b"), Free("c"), Free("d")}, 2, chips);
  EXPECT_EQ(Uuids(second.devices), (std::vector<std::string>{"c", "d"}));
  const Assignment refused = Assign({Used("a", 4711), Free("b"), Free("c"), Lost("d")}, 2, chips);
  EXPECT_EQ(refused.kind, Kind::kRefuse);
  EXPECT_EQ(refused.why,
            "2 TPU chips are asked for, and no 2 that lie side by side are free: a is in use by "
            "others (process 4711); d is lost");
  EXPECT_EQ(Assign({Held("a"), Free("b"), Free("c"), Lost("d")}, 2, chips).kind, Kind::kWait);
}

TEST(AssignmentTest, WaitsForProfilesOfOursAndForNobodyElse) {
  EXPECT_EQ(Assign({Held("a"), Free("b")}, 2).kind, Kind::kWait);
  const Assignment refused = Assign({Held("a"), Used("b", 4711)}, 2);
  EXPECT_EQ(refused.kind, Kind::kRefuse);
  EXPECT_EQ(refused.why,
            "2 GPUs are asked for, and 1 of 2 can be given: b is in use by others (process 4711)");
}

TEST(AssignmentTest, NeverGivesMoreThanThereIs) {
  EXPECT_EQ(Assign({Free("a")}, 2).kind, Kind::kRefuse);
  EXPECT_TRUE(Assign({Free("a")}, 2).devices.empty());
  EXPECT_EQ(Assign({}, 1).kind, Kind::kRefuse);
}

TEST(DevicePoolTest, LendsADeviceToOneAtATime) {
  DevicePool pool(std::make_shared<FakeDeviceReader>(std::vector<std::string>{"a"}));
  {
    const auto lease = pool.Take(1);
    ASSERT_TRUE(lease);
    EXPECT_EQ(Uuids(lease->devices()), (std::vector<std::string>{"a"}));
    const auto second = pool.Take(1);
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().wait);
  }
  EXPECT_EQ(pool.held(), 0U);
  EXPECT_TRUE(pool.Take(1));
}

TEST(DevicePoolTest, GivesBackWhateverHappens) {
  DevicePool pool(std::make_shared<FakeDeviceReader>(std::vector<std::string>{"a"}));
  try {
    const auto lease = pool.Take(1);
    throw std::runtime_error("the run failed");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(pool.held(), 0U);
}

TEST(DevicePoolTest, RefusesWhatOthersUse) {
  const auto reader = std::make_shared<FakeDeviceReader>(std::vector<std::string>{"a"});
  reader->Adjust("a", [](FakeDeviceReader::Entry& entry) {
    entry.reading.processes = {{4711, GiB(1)}};
  });
  DevicePool pool(reader);
  const auto lease = pool.Take(1);
  ASSERT_FALSE(lease);
  EXPECT_FALSE(lease.error().wait);
  EXPECT_NE(lease.error().why.find("4711"), std::string::npos);
}

TEST(DevicePoolTest, LendsADeviceThatCannotBeJudgedWithADoubt) {
  const auto reader = std::make_shared<FakeDeviceReader>(std::vector<std::string>{"a"});
  reader->Adjust("a", [](FakeDeviceReader::Entry& entry) {
    entry.reading.processes.reset();
    entry.reading.missing["processes"] = "not supported by this device";
  });
  DevicePool pool(reader);
  EXPECT_EQ(pool.Take(1)->doubts(),
            "a: the driver does not tell which processes compute on it (not supported by this "
            "device)");
  reader->Adjust("a", [](FakeDeviceReader::Entry& entry) {
    entry.reading.processes.emplace();
    entry.reading.memory_used = GiB(2);
  });
  EXPECT_EQ(pool.Take(1)->doubts(),
            "a: 2048 MiB of its memory are held, and no process that holds them is shown");
}

TEST(DevicePoolTest, DoesNotLendADeviceThatCannotBeRead) {
  const auto reader = std::make_shared<FakeDeviceReader>(std::vector<std::string>{"a"});
  reader->Adjust("a",
                 [](FakeDeviceReader::Entry& entry) { entry.unreadable = DeviceProblem::kSilent; });
  DevicePool pool(reader);
  const auto lease = pool.Take(1);
  ASSERT_FALSE(lease);
  EXPECT_FALSE(lease.error().wait);
  EXPECT_NE(lease.error().why.find("a cannot be read"), std::string::npos) << lease.error().why;
}

TEST(DevicePoolTest, SaysBeforehandThatThereAreNotSoMany) {
  DevicePool pool(std::make_shared<FakeDeviceReader>(std::vector<std::string>{"a"}));
  EXPECT_TRUE(pool.CheckCount(1));
  EXPECT_EQ(pool.CheckCount(2).error().why,
            "2 are asked for, and this machine has 1 GPU (a Imitated GPU)");
  const auto broken = std::make_shared<FakeDeviceReader>();
  broken->FailWith(DeviceProblem::kNoDriver);
  EXPECT_NE(DevicePool(broken).CheckCount(1).error().remedy.find("modprobe"), std::string::npos);
}

TEST(ContainerProcessesTest, AreKnownByTheirCgroup) {
  const std::string id(64, 'a');
  EXPECT_TRUE(NamesContainer("0::/docker/" + id + "\n", id));
  EXPECT_TRUE(NamesContainer("0::/system.slice/docker-" + id + ".scope\n", id));
  EXPECT_FALSE(NamesContainer("0::/docker/" + std::string(64, 'b') + "\n", id));
  EXPECT_FALSE(NamesContainer("0::/\n", ""));
  EXPECT_FALSE(RunsIn(id, 1, "/nonexistent"));
}

// A driver that does not come back until it is let go.
class HangingReader final : public DeviceReader {
 public:
  explicit HangingReader(std::shared_future<void> until) : until_(std::move(until)) {}
  DeviceResult<std::vector<Device>> List() override {
    until_.wait();
    return std::vector<Device>{{"a"}};
  }
  DeviceResult<DeviceReading> Read(const std::string&) override { return DeviceReading(); }
  DeviceResult<std::optional<std::vector<DriverSample>>> Samples(
      const std::string&, SampledFigure, std::chrono::microseconds) override {
    return std::nullopt;
  }
  DeviceResult<std::optional<Bytes>> PeakOf(const std::string&, pid_t) override {
    return std::nullopt;
  }

 private:
  std::shared_future<void> until_;
};

TEST(PatientReaderTest, GivesUpOnADriverThatHangsUntilItIsBack) {
  std::promise<void> release;
  PatientReader reader(std::make_shared<HangingReader>(release.get_future().share()),
                       std::chrono::milliseconds(50));
  EXPECT_EQ(reader.List().error().problem, DeviceProblem::kSilent);
  EXPECT_EQ(reader.Read("a").error().problem, DeviceProblem::kSilent) << "it still hangs";
  release.set_value();
  const Deadline deadline = Deadline::After(std::chrono::seconds(10));
  while (!reader.List() && !deadline.Passed()) continue;
  EXPECT_TRUE(reader.Read("a"));
}

TEST(PatientReaderTest, SaysAtOnceThatTheDriverIsSilentWhileACallHangs) {
  std::promise<void> release;
  constexpr std::chrono::milliseconds kLongest(600);
  PatientReader reader(std::make_shared<HangingReader>(release.get_future().share()), kLongest);
  EXPECT_EQ(reader.List().error().problem, DeviceProblem::kSilent);
  const auto began = std::chrono::steady_clock::now();
  for (int questions = 0; questions < 10; ++questions) {
    EXPECT_EQ(reader.Read("a").error().problem, DeviceProblem::kSilent);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, kLongest) << "all ten together";
  release.set_value();
}

TEST(PatientReaderTest, LetsGoOfWhoeverWaitsWhenItIsGivenUp) {
  std::promise<void> release;
  PatientReader reader(std::make_shared<HangingReader>(release.get_future().share()),
                       std::chrono::hours(1));
  auto waiting = std::async(std::launch::async, [&] { return reader.List(); });
  auto behind = std::async(std::launch::async, [&] { return reader.Read("a"); });
  reader.GiveUp();
  EXPECT_EQ(waiting.get().error().problem, DeviceProblem::kSilent);
  EXPECT_EQ(behind.get().error().problem, DeviceProblem::kSilent);
  EXPECT_EQ(reader.Read("a").error().problem, DeviceProblem::kSilent);
  release.set_value();
}

TEST(PatientReaderTest, HandsOnWhatIsAnswered) {
  PatientReader reader(std::make_shared<FakeDeviceReader>(std::vector<std::string>{"a"}),
                       std::chrono::seconds(5));
  EXPECT_EQ(reader.List()->size(), 1U);
  EXPECT_EQ(reader.Read("a")->memory_total, GiB(16));
  EXPECT_EQ(reader.Read("b").error().problem, DeviceProblem::kUnknownDevice);
}

}  // namespace
}  // namespace mlprof::server::devices
