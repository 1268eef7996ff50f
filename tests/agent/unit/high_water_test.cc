// Marks of real children, which do what their test tells them.
#include "agent/sampling/high_water.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace mlprof::agent {
namespace {

// Runs commands of one letter, each answered by a byte once it is done.
class Child {
 public:
  Child() {
    if (::pipe2(to_child_, O_CLOEXEC) != 0 || ::pipe2(from_child_, O_CLOEXEC) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) Run();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    End();
    for (const int fd : {to_child_[0], to_child_[1], from_child_[0], from_child_[1]}) ::close(fd);
  }

  void Do(char command) {
    char byte = 0;
    ASSERT_EQ(::write(to_child_[1], &command, 1), 1);
    ASSERT_EQ(::read(from_child_[0], &byte, 1), 1);
  }
  void End() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

  static constexpr char kSpike = 's';     // 64 MiB touched and given back
  static constexpr char kKeep = 'k';      // 32 MiB touched and kept
  static constexpr char kGiveBack = 'g';  // what was kept last
  static constexpr char kMapFile = 'f';   // 48 MiB of a file mapped and read
  static constexpr char kUnmapFile = 'u';

 private:
  static void* Map(std::size_t mib, int fd) {
    const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void* const at =
        ::mmap(nullptr, mib << 20, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);
    volatile char* const bytes = static_cast<char*>(at);
    for (std::size_t i = 0; i < mib << 20; i += 4096) {
      if (fd < 0) {
        bytes[i] = 1;
      } else {
        [[maybe_unused]] const char read = bytes[i];
      }
    }
    return at;
  }
  [[noreturn]] void Run() {
    void* kept = nullptr;
    void* file = nullptr;
    char command = 0;
    while (::read(to_child_[0], &command, 1) == 1) {
      if (command == kSpike) ::munmap(Map(64, -1), 64u << 20);
      if (command == kKeep) kept = Map(32, -1);
      if (command == kGiveBack) ::munmap(kept, 32u << 20);
      if (command == kUnmapFile) ::munmap(file, 48u << 20);
      if (command == kMapFile) {
        // Not in /tmp, which may be memory.
        std::string path = MLPROF_BINARY_DIR "/high-water-XXXXXX";
        const int fd = ::mkstemp(path.data());
        ::unlink(path.c_str());
        if (::ftruncate(fd, 48 << 20) != 0) ::_exit(1);
        file = Map(48, fd);
        ::close(fd);
      }
      if (::write(from_child_[1], &command, 1) != 1) break;
    }
    ::_exit(0);
  }

  int to_child_[2];
  int from_child_[2];
  pid_t pid_ = 0;
};

constexpr double kNoise = 1.0;  // MiB: the program itself

HighWater::List Of(std::initializer_list<const Child*> children) {
  std::set<pid_t> pids;
  for (const Child* child : children) pids.insert(child->pid());
  return [pids] { return pids; };
}

double LargestMib(HighWater& marks) {
  const auto rise = marks.Read();
  EXPECT_TRUE(rise);
  return rise ? rise->largest.mib() : -1;
}

double RowMib(HighWater& marks) {
  const auto rise = marks.EndRow();
  EXPECT_TRUE(rise);
  return rise ? rise->mib() : -1;
}

class HighWaterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    marks_.Read();
    marks_.BeginStretch();
  }
  Child child_;
  Child other_;
  HighWater marks_{Of({&child_, &other_})};
};

TEST_F(HighWaterTest, ASpikeThatIsOverStandsAboveThePresent) {
  child_.Do(Child::kSpike);
  EXPECT_NEAR(LargestMib(marks_), 64, kNoise);
  EXPECT_NEAR(LargestMib(marks_), 64, kNoise) << "reading forgets nothing";
}

TEST_F(HighWaterTest, ANewStretchKnowsNothingOfTheLast) {
  child_.Do(Child::kSpike);
  LargestMib(marks_);
  marks_.BeginStretch();
  EXPECT_NEAR(LargestMib(marks_), 0, kNoise);
  child_.Do(Child::kSpike);
  EXPECT_NEAR(LargestMib(marks_), 64, kNoise);
}

TEST_F(HighWaterTest, WhatIsKeptIsNoRiseAboveThePresent) {
  child_.Do(Child::kKeep);
  EXPECT_NEAR(LargestMib(marks_), 0, kNoise);
  marks_.BeginStretch();
  child_.Do(Child::kGiveBack);
  EXPECT_NEAR(LargestMib(marks_), 32, kNoise) << "it was there when the stretch began";
  marks_.BeginStretch();
  EXPECT_NEAR(LargestMib(marks_), 0, kNoise);
}

TEST_F(HighWaterTest, SpikesOfSeveralAreToldApartAndTogether) {
  child_.Do(Child::kSpike);
  other_.Do(Child::kSpike);
  const auto rise = marks_.Read();
  ASSERT_TRUE(rise);
  EXPECT_NEAR(rise->largest.mib(), 64, kNoise);
  EXPECT_NEAR(rise->sum.mib(), 128, 2 * kNoise);
}

TEST_F(HighWaterTest, ARowsRiseCountsFromItsBeginning) {
  child_.Do(Child::kSpike);
  marks_.BeginRow();
  EXPECT_NEAR(RowMib(marks_), 0, kNoise);
  marks_.BeginRow();
  other_.Do(Child::kKeep);
  other_.Do(Child::kSpike);
  EXPECT_NEAR(RowMib(marks_), 32 + 64, kNoise);
}

TEST_F(HighWaterTest, RowAndStretchDoNotTakeEachOthersPeaks) {
  child_.Do(Child::kSpike);
  marks_.BeginRow();  // resets the kernel's mark
  EXPECT_NEAR(LargestMib(marks_), 64, kNoise);
  child_.Do(Child::kSpike);
  LargestMib(marks_);
  marks_.BeginStretch();  // so does this
  EXPECT_NEAR(RowMib(marks_), 64, kNoise);
}

TEST_F(HighWaterTest, PagesOfFilesAreNoRise) {
  child_.Do(Child::kMapFile);
  marks_.BeginRow();
  marks_.Read();
  marks_.BeginStretch();
  child_.Do(Child::kUnmapFile);
  EXPECT_NEAR(LargestMib(marks_), 0, kNoise);
  marks_.BeginRow();
  child_.Do(Child::kMapFile);
  EXPECT_NEAR(RowMib(marks_), 0, kNoise);
  child_.Do(Child::kSpike);
  EXPECT_NEAR(RowMib(marks_), 64, kNoise);
}

TEST_F(HighWaterTest, AProcessThatEndsIsForgotten) {
  child_.Do(Child::kSpike);
  child_.End();
  EXPECT_NEAR(LargestMib(marks_), 0, kNoise);
}

TEST(HighWaterListTest, AProcessThatAppearsCountsFromItsOwnStart) {
  std::set<pid_t> pids;
  HighWater marks([&] { return pids; });
  marks.Read();
  marks.BeginStretch();
  marks.BeginRow();
  Child child;
  pids.insert(child.pid());
  child.Do(Child::kSpike);
  EXPECT_NEAR(LargestMib(marks), 64, kNoise);
  EXPECT_NEAR(RowMib(marks), 64, kNoise);
}

TEST(HighWaterListTest, AnEndedProcessThatNobodyReapedHindersNothing) {
  Child child;
  Child ended;
  HighWater marks(Of({&child, &ended}));
  marks.Read();
  ::kill(ended.pid(), SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(ended.pid()), &info, WEXITED | WNOWAIT);
  child.Do(Child::kSpike);
  EXPECT_NEAR(LargestMib(marks), 64, kNoise);
}

TEST(HighWaterListTest, WhereNoMarkCanBeResetThereIsNoFigure) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may reset any";
  HighWater marks([] { return std::set<pid_t>{1}; });
  EXPECT_FALSE(marks.Read());
  marks.BeginRow();
  EXPECT_FALSE(marks.EndRow());
}

}  // namespace
}  // namespace mlprof::agent
