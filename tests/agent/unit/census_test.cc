#include "agent/sampling/census.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "agent/sampling/proc.h"

namespace mlprof::agent {
namespace {

std::vector<std::string> PoolsOf(std::string_view maps) {
  std::set<std::string> pools;
  AddThreadPools(maps, pools);
  return {pools.begin(), pools.end()};
}

std::string Line(const std::string& path) {
  return "7f3a4c000000-7f3a4c021000 r-xp 00000000 08:01 131 " + path + "\n";
}

TEST(ThreadPoolsTest, RuntimesOfWheelsAndDistributionsGetTheirShortNames) {
  EXPECT_EQ(PoolsOf(Line("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0") +
                    Line("/opt/x/scikit_learn.libs/libgomp-a34b3233.so.1.0.0") +
                    Line("/opt/x/numpy.libs/libscipy_openblas64_-6bb31eeb.so") +
                    Line("/opt/x/libopenblasp-r0-23e5df77.3.21.so") +
                    Line("/opt/onnxruntime/capi/onnxruntime_pybind11_state.cpython-311.so")),
            (std::vector<std::string>{"libgomp", "libonnxruntime", "libopenblas"}));
  EXPECT_EQ(
      PoolsOf(Line("/t/libtensorflow_framework.so.2") + Line("/t/libtorch_cpu.so") +
              Line("/t/libmkl_core.so.2") + Line("/t/libiomp5.so") + Line("/t/libomp.so.5")),
      (std::vector<std::string>{"libiomp5", "libmkl", "libomp", "libtensorflow", "libtorch"}));
}

TEST(ThreadPoolsTest, OtherFilesAndAnonymousMemoryAreNone) {
  EXPECT_TRUE(PoolsOf("").empty());
  EXPECT_TRUE(PoolsOf("7f3a4c000000-7f3a4c021000 rw-p 00000000 00:00 0 \n" + Line("[heap]") +
                      Line("/libgomp/libc.so.6") + Line("/a/libompstub.so") +
                      Line("/a/libgomp.txt"))
                  .empty());
}

TEST(ProcessStatusTest, IsReadFromTheKernelsText) {
  const auto status = ParseProcessStatus(
      "Name:\tVmHWM:\nVmPeak:\t 9 kB\nVmSize:\t 7 kB\nVmHWM:\t    1892 kB\nVmRSS:\t    1800 kB\n"
      "RssAnon:\t 144 kB\nRssFile:\t 1656 kB\nThreads:\t7\n");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->high_water, KiB(1892));
  EXPECT_EQ(status->resident, KiB(1800));
  EXPECT_EQ(status->file, KiB(1656));
  EXPECT_EQ(status->address_space, KiB(7));
  EXPECT_EQ(status->threads, 7);
}

TEST(ProcessStatusTest, AProcessWithoutMemoryHasNone) {
  EXPECT_FALSE(ParseProcessStatus("Name:\tx\nState:\tZ (zombie)\nThreads:\t1\n"));
  EXPECT_FALSE(ParseProcessStatus(""));
  EXPECT_FALSE(ParseProcessStatus("\nVmHWM:"));
}

TEST(CensusTest, CountsThisProcessAndPassesOverOnesThatAreGone) {
  const Census census = TakeCensus({::getpid(), 0x7ffffffe});
  EXPECT_EQ(census.processes, 1);
  EXPECT_GE(census.threads, 1);
}

TEST(KnownProcessesTest, ChildrenComeAndGo) {
  KnownProcesses known;
  known.Now();
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) ::pause();
  }
  EXPECT_TRUE(known.Now().contains(child));
  EXPECT_TRUE(known.Now().contains(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(known.Now().contains(child));
}

TEST(ProcessBirthsTest, TheLastIdIsTheEndOfTheLoadLine) {
  EXPECT_EQ(ParseLastPid("0.20 0.18 0.12 1/80 11206\n"), 11206);
  EXPECT_FALSE(ParseLastPid(""));
  EXPECT_FALSE(ParseLastPid("0.20 x"));
}

}  // namespace
}  // namespace mlprof::agent
