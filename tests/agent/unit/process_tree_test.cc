#include "agent/sampling/process_tree.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "agent/sampling/proc.h"

namespace mlprof::agent {
namespace {

TEST(SmapsRollup, CountsSharedPagesByTheirShare) {
  const MemoryShare share = ParseSmapsRollup(
      "55d0c8a00000-7ffe [rollup]\nRss:  900 kB\nPss:  700 kB\nPss_Anon:  400 kB\n"
      "Pss_File:  200 kB\nPss_Shmem:  100 kB\n");
  EXPECT_EQ(share.anonymous, KiB(500));
  EXPECT_EQ(share.file, KiB(200));
}

TEST(SmapsRollup, OfAProcessThatIsGoneIsNothing) {
  EXPECT_EQ(ParseSmapsRollup("").anonymous, Bytes());
}

TEST(ReapedTime, IsFoundBehindANameWithSpacesAndBrackets) {
  const std::string stat = "7 (a) b (c)) S 1 7 7 0 -1 0 1 2 3 4 50 60 7 8 20 0 1 0 99 0";
  EXPECT_EQ(ParseReapedTime(stat, 100), std::chrono::milliseconds(150));
}

TEST(ReapedTime, OfNoStatIsNothing) {
  EXPECT_EQ(ParseReapedTime("", 100), std::chrono::nanoseconds(0));
}

// A child that holds so much memory, until it is told to end.
class HoldingChild {
 public:
  explicit HoldingChild(Bytes held) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto size = static_cast<std::size_t>(held.count());
      void* memory =
          ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      std::memset(memory, 1, size);
      [[maybe_unused]] const ssize_t n = ::write(ready[1], "r", 1);
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~HoldingChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = 0;
};

TEST(ProcessTree, SeesWhatAChildHolds) {
  const ProcessTree tree;
  const Bytes before = tree.Read().unreclaimable;
  const HoldingChild child(MiB(32));
  const ProcessTree with_child;
  const CgroupReading reading = with_child.Read();
  EXPECT_GE(reading.unreclaimable - before, MiB(32));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // the child has its own shadow
  EXPECT_LT(reading.unreclaimable - before, MiB(40));
#endif
  EXPECT_EQ(reading.processes, 2);
}

TEST(ProcessTree, CountsCpuTimeOfAChildOnceItHasBeenReaped) {
  const ProcessTree tree;
  const auto before = tree.CpuTime();
  const pid_t pid = ::fork();
  if (pid == 0) {
    while (OwnCpuTime() < std::chrono::milliseconds(60)) {
    }
    ::_exit(0);
  }
  ::waitpid(pid, nullptr, 0);
  EXPECT_GE(tree.CpuTime() - before, std::chrono::milliseconds(55));
}

}  // namespace
}  // namespace mlprof::agent
