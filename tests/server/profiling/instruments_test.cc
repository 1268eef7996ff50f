// What observes a container beside the phases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/profiling/lab/instrument.h"
#include "server/profiling/phases/limited_run.h"
#include "tests/fakes/fake_device.h"
#include "tests/server/profiling/lab_bench.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

using Fault = FakeDevice::Fault;

auto Named(const std::string& name) { return Field(&Series::name, name); }

void RunOneContainer(LabBench& bench) {
  const phases::LimitedRunPlan plan{{Cores(1.0), MiB(300)},
                                    TrialPurpose::kVerification,
                                    {std::chrono::seconds(3), 59, std::chrono::seconds(5)}};
  EXPECT_TRUE(phases::RunAtLimits(bench.lab, bench.MeasuredAt(2), plan)) << "the run ended";
}

std::vector<InstrumentFailure> Failures(const LabBench& bench) {
  return bench.lab.closed().at(0).instrument_failures;
}

TEST(InstrumentsTest, ReadAContainerFromItsLaunchToItsEndOnTheClockOfTheRun) {
  LabBench bench;
  FakeDevice device;
  bench.instruments.push_back(device.Instrument());
  const auto before = bench.runtime.clock().Now();
  RunOneContainer(bench);
  EXPECT_THAT(bench.journal.series, Contains(Named("memoryInBytes")));
  ASSERT_THAT(bench.journal.series, Contains(Named("deviceMemoryInBytes")));
  const Series& read = bench.journal.series.back();
  EXPECT_EQ(read.unit, "bytes");
  EXPECT_EQ(read.source, "device");
  ASSERT_EQ(read.points.size(), 2U);
  EXPECT_GE(read.points[0].at, before);
  EXPECT_GE(read.points[1].at - read.points[0].at, std::chrono::seconds(3));
  EXPECT_EQ(read.points[1].value, 3.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(device.observing, 0);
  EXPECT_TRUE(Failures(bench).empty());
}

TEST(InstrumentsTest, TheAgentIsOneOfThemAndGivesItsFacts) {
  LabBench bench;
  bench.instruments.clear();
  RunOneContainer(bench);
  EXPECT_TRUE(bench.journal.series.empty());
  EXPECT_EQ(bench.lab.closed().at(0).peak_unreclaimable, std::nullopt);
  EXPECT_EQ(bench.journal.trials.size(), 1U);  // what the phases measure by is no instrument's
}

TEST(InstrumentsTest, FailWithoutTheirContainer) {
  const std::pair<Fault, std::string> faults[] = {
      {Fault::kMake, "no such device"},
      {Fault::kBegin, "the device is busy"},
      {Fault::kEnd, "the device was lost"},
      {Fault::kThrowAtEnd, "no driver"},
  };
  for (const auto& [fault, why] : faults) {
    LabBench bench;
    FakeDevice device;
    device.fault = fault;
    bench.instruments.insert(bench.instruments.begin(), device.Instrument());
    RunOneContainer(bench);
    EXPECT_THAT(bench.journal.series, Contains(Named("memoryInBytes"))) << why;
    EXPECT_THAT(bench.journal.series, Not(Contains(Named("deviceMemoryInBytes")))) << why;
    const auto failures = Failures(bench);
    ASSERT_EQ(failures.size(), 1U) << why;
    EXPECT_EQ(failures[0].instrument, "device");
    EXPECT_THAT(failures[0].why, HasSubstr(why));
    EXPECT_EQ(device.observing, 0) << why;
    EXPECT_EQ(bench.lab.closed().at(0).peak_unreclaimable, MiB(200)) << why;
  }
}

TEST(InstrumentsTest, StopWithAContainerThatNobodyCloses) {
  LabBench bench;
  FakeDevice device;
  bench.instruments.push_back(device.Instrument());
  {
    auto container = bench.lab.Launch(
        {bench.lab.ceiling(), bench.setup, Seed(1), PageCache::kAsItIs, Use::kObjective});
    ASSERT_TRUE(container.has_value());
    EXPECT_EQ(device.observing, 1);
  }
  EXPECT_EQ(device.observing, 0);
  EXPECT_TRUE(bench.journal.series.empty());
}

TEST(InstrumentsTest, TakeNoNameThatAnotherHas) {
  LabBench bench;
  FakeDevice device;
  device.series = "memoryInBytes";
  bench.instruments.push_back(device.Instrument());
  RunOneContainer(bench);
  EXPECT_EQ(std::count_if(bench.journal.series.begin(), bench.journal.series.end(),
                          [](const Series& s) { return s.name == "memoryInBytes"; }),
            1);
  EXPECT_THAT(Failures(bench), ElementsAre(Field(&InstrumentFailure::why,
                                                 HasSubstr("gave the series memoryInBytes"))));
}

Profile ProfileWith(FakeDevice& device, ProfilingBench& bench) {
  bench.more_instruments = {device.Instrument()};
  bench.Restart();
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service().Create("default", bench.Request("p", std::chrono::seconds(300)), {}));
  return bench.AwaitEnd("p");
}

// No phase, no migration and no route knows of the device.
TEST(InstrumentsOfAProfileTest, AreShownAndLeaveTheAnswerAsItIs) {
  FakeDevice device;
  ProfilingBench bench;
  const Profile profile = ProfileWith(device, bench);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.recommendation->requested.memory(), MiB(224));
  const auto shown = bench.service().Samples("default", "p", {});
  ASSERT_THAT(*shown, Contains(Named("deviceMemoryInBytes")));
  EXPECT_THAT(*shown, Contains(Named("memoryInBytes")));
  EXPECT_TRUE(std::is_sorted(shown->begin(), shown->end(),
                             [](const Series& a, const Series& b) { return a.name < b.name; }));
  for (const Series& series : *shown) {
    if (series.name != "deviceMemoryInBytes") continue;
    EXPECT_EQ(series.unit, "bytes");
    EXPECT_EQ(series.source, "device");
    EXPECT_EQ(series.points.size(), 2 * bench.runtime.launches().size());
  }
}

TEST(InstrumentsOfAProfileTest, AreToldWhereTheyFailAndTheProfileSucceeds) {
  FakeDevice device;
  device.fault = Fault::kEnd;
  ProfilingBench bench;
  const Profile profile = ProfileWith(device, bench);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(profile.recommendation->verified);
  ASSERT_THAT(profile.warnings, Contains(Field(&Warning::code, "instrumentFailed")));
}

}  // namespace
}  // namespace mlprof::server
