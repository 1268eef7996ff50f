#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/sampling/cgroup_reader.h"
#include "agent/sampling/proc.h"
#include "agent/sampling/sampler.h"
#include "common/cgroup/cgroup_location.h"

namespace mlprof::agent {
namespace {

using namespace std::chrono_literals;

const std::string kV1 = MLPROF_SOURCE_DIR "/tests/fixtures/cgroup_v1";
const std::string kV2 = MLPROF_SOURCE_DIR "/tests/fixtures/cgroup_v2";

CgroupLocation LocateIn(const std::string& root) {
  CgroupLocation location = LocateCgroup(ReadWholeFile(root + "/proc/self/cgroup"),
                                         ReadWholeFile(root + "/proc/self/mountinfo"));
  for (std::string* folder :
       {&location.unified, &location.cpu, &location.cpuacct, &location.memory, &location.pids}) {
    if (!folder->empty()) *folder = root + *folder;
  }
  return location;
}

TEST(LocateCgroupTest, FindsTheV1FoldersOfAContainer) {
  const auto at = LocateIn(kV1);
  EXPECT_EQ(at.version, 1);
  EXPECT_EQ(at.cpu, kV1 + "/sys/fs/cgroup/cpu");
  EXPECT_EQ(at.cpuacct, kV1 + "/sys/fs/cgroup/cpuacct");
  EXPECT_EQ(at.memory, kV1 + "/sys/fs/cgroup/memory");
  EXPECT_EQ(at.pids, kV1 + "/sys/fs/cgroup/pids");
}

TEST(LocateCgroupTest, FindsTheV2FolderWithAPrivateNamespace) {
  const auto at = LocateIn(kV2);
  EXPECT_EQ(at.version, 2);
  EXPECT_EQ(at.unified, kV2 + "/sys/fs/cgroup");
}

TEST(LocateCgroupTest, FollowsThePathWhereTheWholeHierarchyIsMounted) {
  const auto v2 = LocateCgroup("0::/system.slice/docker-1.scope\n",
                               "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(v2.unified, "/sys/fs/cgroup/system.slice/docker-1.scope");
  const auto v1 = LocateCgroup("2:cpu,cpuacct:/a\n1:memory:/b\n0::/\n",
                               "1 2 0:1 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                               "1 2 0:2 / /cg/memory rw - cgroup cgroup rw,memory\n"
                               "1 2 0:3 / /cg/unified rw - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(v1.version, 1);
  EXPECT_EQ(v1.cpu, "/cg/cpu,cpuacct/a");
  EXPECT_EQ(v1.cpuacct, "/cg/cpu,cpuacct/a");
  EXPECT_EQ(v1.memory, "/cg/memory/b");
  EXPECT_EQ(v1.pids, "");
}

TEST(LocateCgroupTest, AMountFromAnotherNamespaceIsTakenAsItIs) {
  const auto at =
      LocateCgroup("0::/../other\n", "31 23 0:27 /../x /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  EXPECT_EQ(at.unified, "/sys/fs/cgroup");
}

TEST(LocateCgroupTest, NothingMountedOrNonsenseIsVersionZero) {
  EXPECT_EQ(LocateCgroup("", "").version, 0);
  EXPECT_EQ(LocateCgroup("x\n:\n::\n", " - \n1 - cgroup\na b c d e - cgroup x\n").version, 0);
}

TEST(CgroupV1Test, ReadsARealContainer) {
  const auto reading = OpenCgroup(LocateIn(kV1))->Read();
  EXPECT_EQ(reading.cpu_time, 341271089ns);
  EXPECT_EQ(reading.periods, 7);
  EXPECT_EQ(reading.throttled_periods, 5);
  EXPECT_EQ(reading.throttled_time, 245068521ns);
  EXPECT_EQ(reading.usage, Bytes(843776));
  EXPECT_EQ(reading.unreclaimable, Bytes(114688 + 909312));
  EXPECT_EQ(reading.cache, Bytes(0));
  EXPECT_EQ(reading.mapped_file, Bytes(0));
  EXPECT_EQ(reading.processes, 2);
  EXPECT_EQ(reading.oom_kills, 0);
  EXPECT_FALSE(reading.memory_stall);
}

TEST(CgroupV2Test, ReadsAContainerInTheSameUnits) {
  const auto cgroup = OpenCgroup(LocateIn(kV2));
  const auto reading = cgroup->Read();
  EXPECT_EQ(reading.cpu_time, 5234567us);
  EXPECT_EQ(reading.cpu_time, cgroup->CpuTime());
  EXPECT_EQ(reading.periods, 812);
  EXPECT_EQ(reading.throttled_periods, 37);
  EXPECT_EQ(reading.throttled_time, 1450231us);
  EXPECT_EQ(reading.usage, Bytes(187695104));
  EXPECT_EQ(reading.unreclaimable,
            Bytes(96468992 + 4194304 + 8192 + 393216 + 1835008 + 4096 + 3456 + 12288 + 2605056));
  EXPECT_EQ(reading.cache, Bytes(75497472 - 4194304));
  EXPECT_EQ(reading.mapped_file, Bytes(41943040));
  EXPECT_EQ(reading.file_refaults, 118);
  EXPECT_EQ(reading.major_faults, 87);
  EXPECT_EQ(reading.memory_stall, 48213us);
  EXPECT_EQ(reading.processes, 9);
  EXPECT_EQ(reading.oom_kills, 2);
}

// A folder of its own, removed with its content.
class Scratch {
 public:
  Scratch() {
    std::string path = (std::filesystem::temp_directory_path() / "mlprof-agent-XXXXXX").string();
    root_ = ::mkdtemp(path.data());
  }
  ~Scratch() { std::filesystem::remove_all(root_); }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(root_ + "/" + name) << text;
  }
  CgroupLocation AsV1() const { return {1, "", "", root_, root_, root_, root_}; }
  CgroupLocation AsV2() const { return {2, root_, "", "", "", "", ""}; }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

TEST(CgroupV1Test, SharedMemoryIsNoCacheAndOomKillsAreCounted) {
  Scratch folder;
  folder.Write("memory.stat",
               "cache 1\nworkingset_refault_file 1\npgmajfault 1\ntotal_cache 100\n"
               "total_rss 1000\ntotal_shmem 30\ntotal_mapped_file 40\n"
               "total_workingset_refault_file 5\ntotal_pgmajfault 6\n");
  folder.Write("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  const auto reading = OpenCgroup(folder.AsV1())->Read();
  EXPECT_EQ(reading.unreclaimable, Bytes(1030));
  EXPECT_EQ(reading.cache, Bytes(70));
  EXPECT_EQ(reading.mapped_file, Bytes(40));
  EXPECT_EQ(reading.file_refaults, 5);
  EXPECT_EQ(reading.major_faults, 6);
  EXPECT_EQ(reading.oom_kills, 3);
}

TEST(CgroupReaderTest, MissingEmptyAndOddFilesReadAsNothing) {
  Scratch folder;
  folder.Write("memory.stat", "");
  folder.Write("cpu.stat",
               "usage_usec\nusage_usec x\n\n nr_periods\nnr_throttled 99999999999999999999\n");
  folder.Write("pids.current", "max\n");
  for (const auto& location : {folder.AsV1(), folder.AsV2(), CgroupLocation{}}) {
    const auto reading = OpenCgroup(location)->Read();
    EXPECT_EQ(reading.cpu_time, 0ns);
    EXPECT_EQ(reading.throttled_periods, 0);
    EXPECT_EQ(reading.unreclaimable, Bytes(0));
    EXPECT_EQ(reading.processes, 0);
  }
}

TEST(ProcReaderTest, ReadsOwnMemoryAndHostPressure) {
  EXPECT_EQ(ParseAnonymous("312 214 187 150 0 35 0\n", 4096), Bytes(27L * 4096));
  EXPECT_EQ(ParseAnonymous("", 4096), Bytes(0));
  EXPECT_EQ(ProcReader(kV2 + "/proc").HostCpuPressure(), 12.34);
  EXPECT_EQ(ProcReader(kV1 + "/proc").HostCpuPressure(), 2.54);
  EXPECT_FALSE(ProcReader("/nowhere").HostCpuPressure());
  EXPECT_FALSE(ParsePressure("full avg10=1"));
}

TEST(ProcReaderTest, TheTimeStalledIsThatOfSomeTask) {
  EXPECT_EQ(ParseStallTime("some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\n"
                           "full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n"),
            1234us);
  EXPECT_FALSE(ParseStallTime(""));
  EXPECT_FALSE(ParseStallTime("some avg10=0.00\nfull avg10=0.00 total=99\n"));
  EXPECT_FALSE(ParseStallTime("full total=99\n"));
}

TEST(SamplerTest, TakesTheAgentsOwnShareOut) {
  Scratch folder;
  folder.Write("cpuacct.usage", "3600000000000\n");
  folder.Write("memory.stat", "total_rss 1000000\n");
  folder.Write("statm", "312 214 187 150 0 35 0\n");
  std::filesystem::create_directory(folder.root() + "/self");
  folder.Write("self/statm", "312 214 187 150 0 35 0\n");
  const auto cgroup = OpenCgroup(folder.AsV1());
  const ProcReader proc(folder.root());
  auto loop = EventLoop::Open();
  ASSERT_TRUE(loop);
  HighWater high_water([] { return std::set<pid_t>(); });
  RunQueue run_queue([] { return std::set<pid_t>(); });
  Sampler sampler(*loop, *cgroup, proc, high_water, run_queue);
  const Sample sample = sampler.Take();
  EXPECT_GT(sample.agent_cpu_time, 0ns);
  EXPECT_EQ(sample.cpu_time + sample.agent_cpu_time, 3600s);
  EXPECT_EQ(sample.agent_memory, Bytes(27L * 4096));
  EXPECT_EQ(sample.unreclaimable, Bytes(1000000 - 27L * 4096));
  EXPECT_EQ(sampler.peak_unreclaimable(), sample.unreclaimable);
}

TEST(SamplerTest, TheFirstSampleAfterAReadingTellsHowLongThreadsWaited) {
  auto loop = EventLoop::Open();
  ASSERT_TRUE(loop);
  const auto cgroup = OpenCgroup({});
  const ProcReader proc;
  HighWater high_water([] { return std::set<pid_t>(); });
  RunQueue run_queue([] { return std::set<pid_t>{::getpid()}; });
  Sampler sampler(*loop, *cgroup, proc, high_water, run_queue);
  EXPECT_TRUE(sampler.Take().run_queue_wait);
  EXPECT_FALSE(sampler.Take().run_queue_wait);
}

TEST(SamplerTest, KeepsItsRhythm) {
  auto loop = EventLoop::Open();
  ASSERT_TRUE(loop);
  const auto cgroup = OpenCgroup({});
  const ProcReader proc;
  HighWater high_water([] { return std::set<pid_t>(); });
  RunQueue run_queue([] { return std::set<pid_t>(); });
  Sampler sampler(*loop, *cgroup, proc, high_water, run_queue);
  std::vector<Sample> samples;
  const auto begin = Clock::now();
  sampler.Start(2ms, [&](const Sample& sample) {
    samples.push_back(sample);
    if (samples.size() == 6) loop->Stop();
  });
  loop->Run([] {});
  sampler.Stop();
  EXPECT_GE(Clock::now() - begin, 10ms);
  for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_GT(samples[i].at, samples[i - 1].at);
}

}  // namespace
}  // namespace mlprof::agent
