// A dataset that is far larger than what the server may take for it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "server/registry/packed_row_source.h"
#include "server/registry/packed_rows.h"
#include "server/replay/agent_session.h"
#include "server/storage/file_digest.h"
#include "tests/fakes/fake_agent_link.h"
#include "tests/server/profiling/lab_bench.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

constexpr std::uint32_t kRowBytes = 256 << 10;
constexpr std::uint32_t kRowCount = 1600;  // 400 MiB

// A packed file that takes almost no room on the disk: its rows are zeros.
std::filesystem::path SparseRows(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  EXPECT_EQ(pwrite(fd, kPackedMagic.data(), kPackedMagic.size(), 0), 8);
  off_t at = 8;
  for (std::uint32_t i = 0; i < kRowCount; ++i, at += 4 + kRowBytes) {
    EXPECT_EQ(pwrite(fd, &kRowBytes, sizeof(kRowBytes), at), 4);
  }
  EXPECT_EQ(ftruncate(fd, at), 0);
  close(fd);
  return file;
}

// VmRSS or VmHWM of this process.
Bytes Resident(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(which)) return KiB(std::stoll(line.substr(which.size() + 1)));
  }
  return {};
}

void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

ReplayPlan Backwards() {
  ReplayPlan plan;
  for (std::uint32_t row = kRowCount; row-- > 0;) plan.order.push_back(row);
  plan.max_requests = kRowCount;
  plan.concurrency = 4;
  return plan;
}

TEST(LargeDatasetTest, IsReplayedInAFewMebibytes) {
  const TemporaryDirectory folder;
  const auto file = SparseRows(folder / "rows");
  ForgetPeak();
  [[maybe_unused]] const Bytes before = Resident("VmRSS:");
  const auto rows = OpenPackedRows(file, FileDigest(file).value());
  ASSERT_TRUE(rows) << rows.error().message();
  FakeClock clock;
  FakeAgentLink link({}, {Cores(2.0), GiB(1)}, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Deadline::After(std::chrono::seconds(20))).has_value());
  const auto result =
      session.Replay(**rows, Backwards(), {}, Deadline::After(std::chrono::seconds(60)));
  EXPECT_EQ(result.requests.size(), kRowCount);
  EXPECT_EQ(result.failures, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT((Resident("VmHWM:") - before).mib(), 20);
#endif
}

// Rows whose disk breaks.
class BrokenRows final : public RowSource {
 public:
  std::size_t count() const override { return 20; }
  Bytes SizeOf(std::uint32_t) const override { return Bytes(1); }
  Status Read(std::uint32_t, std::string&) const override {
    return Fail(Internal("reading rows: Input/output error"));
  }
};

TEST(LargeDatasetTest, EndsTheRunWithoutAVerdictWhereItCannotBeRead) {
  LabBench bench;
  const BrokenRows rows;
  Profile profile;
  PhaseTracker tracker(profile, bench.journal, bench.announcer);
  Lab lab({bench.runtime,
           rows,
           bench.budget,
           bench.host,
           bench.journal,
           bench.announcer,
           tracker,
           bench.run_stop,
           {},
           bench.instruments},
          LabBench::ASubject());
  auto container =
      lab.Launch({lab.ceiling(), bench.setup, lab.NextSeed(), PageCache::kAsItIs, Use::kObjective});
  ASSERT_TRUE(container);
  ASSERT_TRUE((*container)->Start());
  ReplayPlan plan;
  plan.order = {0};
  plan.max_requests = 1;
  const auto result = (*container)->Replay(plan, Deadline::After(std::chrono::seconds(20)));
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.target_lost);
  EXPECT_TRUE(lab.stopped());
  EXPECT_EQ(bench.run_stop.reason(), StopReason::kStorage);
}

}  // namespace
}  // namespace mlprof::server
