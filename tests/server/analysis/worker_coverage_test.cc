#include "server/analysis/worker_coverage.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;
using agent_protocol::Listens;
using agent_protocol::ModelProcess;
using agent_protocol::Processes;

constexpr double kRow = 0.010;

ModelProcess AProcess(std::int64_t pid, std::int64_t parent, Listens listens) {
  ModelProcess process;
  process.pid = pid;
  process.parent = parent;
  process.listens = listens;
  process.private_memory = MiB(100 + pid);
  return process;
}

// gunicorn: a master that opened the socket, and its workers.
Processes Forked(int workers) {
  Processes census;
  census.at = 10s;
  census.processes.push_back(AProcess(2, 1, Listens::kYes));
  for (int i = 0; i < workers; ++i) {
    census.processes.push_back(AProcess(10 + i, 2, Listens::kYes));
  }
  return census;
}

// So long after the first.
Processes After(Processes census, std::chrono::nanoseconds time) {
  census.at += time;
  return census;
}

Processes WithCpu(Processes census, std::size_t index, std::chrono::nanoseconds more) {
  census.processes[index].cpu_time += more;
  return census;
}

WorkerCoverage Watched(const std::vector<Processes>& censuses, std::int64_t rows = 16) {
  WorkerWatch watch(kRow);
  for (std::size_t i = 0; i < censuses.size(); ++i) watch.See(censuses[i], i == 0 ? 0 : rows);
  return watch.Coverage();
}

TEST(ServingProcessesTest, AreTheWorkersAndNotTheMasterThatOpenedTheSocket) {
  EXPECT_EQ(ServingProcesses(Forked(4)).size(), 4U);
  EXPECT_EQ(ServingProcesses(Forked(0)).size(), 1U);
}

TEST(ServingProcessesTest, AreNoHelpersWithoutTheSocket) {
  Processes uvicorn = Forked(2);
  uvicorn.processes.push_back(AProcess(9, 2, Listens::kNo));  // Python's resource tracker
  EXPECT_EQ(ServingProcesses(uvicorn).size(), 2U);
}

TEST(ServingProcessesTest, AreFoundBehindAShellAndAnotherMaster) {
  Processes nested;
  nested.processes = {AProcess(2, 1, Listens::kNo), AProcess(3, 2, Listens::kYes),
                      AProcess(4, 3, Listens::kYes), AProcess(5, 4, Listens::kYes),
                      AProcess(6, 4, Listens::kYes)};
  EXPECT_EQ(ServingProcesses(nested).size(), 2U);
}

TEST(ServingProcessesTest, AreSiblingsOfOneCommandLineWhereDescriptorsCannotBeRead) {
  Processes census;
  for (const int pid : {2, 3, 4, 5}) {
    census.processes.push_back(AProcess(pid, pid == 2 ? 1 : 2, Listens::kUnknown));
  }
  census.processes[1].program = 7;  // a helper
  const auto serving = ServingProcesses(census);
  ASSERT_EQ(serving.size(), 2U);
  EXPECT_EQ(serving[0].pid, 4);
}

TEST(ServingProcessesTest, EndWhereParentsFormARing) {
  Processes census;
  census.processes = {AProcess(2, 3, Listens::kYes), AProcess(3, 2, Listens::kYes),
                      AProcess(4, 2, Listens::kYes)};
  EXPECT_LE(ServingProcesses(census).size(), 1U);
}

TEST(WorkerWatchTest, CountsAWorkerThatBurnedCpuForARow) {
  const Processes first = Forked(2);
  const WorkerCoverage half = Watched({first, After(WithCpu(first, 1, 10ms), 1s)});
  EXPECT_EQ(half.count, 2);
  EXPECT_EQ(half.reached, 1);
  EXPECT_FALSE(half.complete());
  const WorkerCoverage all = Watched({first, After(WithCpu(WithCpu(first, 1, 10ms), 2, 8ms), 1s)});
  EXPECT_EQ(all.reached, 2);
  EXPECT_TRUE(all.complete());
  EXPECT_TRUE(all.risen);
}

TEST(WorkerWatchTest, AddsUpWhatBurstsReached) {
  const Processes first = Forked(2);
  const Processes second = After(WithCpu(first, 1, 10ms), 1s);
  EXPECT_TRUE(Watched({first, second, After(WithCpu(second, 2, 10ms), 1s)}).complete());
}

TEST(WorkerWatchTest, TakesWakingUpForNoRow) {
  const Processes first = Forked(2);
  // Ten looks around a second for a minute: 54 ms, which would be five rows.
  EXPECT_EQ(Watched({first, After(WithCpu(first, 1, 54ms), 60s)}).reached, 0);
}

TEST(WorkerWatchTest, TellsTheMedianOfWhatReachedWorkersHaveForThemselves) {
  const Processes first = Forked(3);
  Processes second = After(WithCpu(WithCpu(first, 1, 1s), 2, 1s), 1s);
  EXPECT_EQ(Watched({first, second}).per_worker_memory, MiB(111));
  for (ModelProcess& process : second.processes) process.private_memory.reset();
  EXPECT_EQ(Watched({first, second}).per_worker_memory, std::nullopt);
}

TEST(WorkerWatchTest, SeesTheParentThatServesItselfBesideIdleForks) {
  const Processes first = Forked(3);
  const WorkerCoverage alone = Watched({first, After(WithCpu(first, 0, 160ms), 1s)});
  EXPECT_EQ(alone.count, 1);
  EXPECT_TRUE(alone.complete());
}

TEST(WorkerWatchTest, ABusyMasterOfWorkersIsNoServer) {
  const Processes first = Forked(3);
  EXPECT_EQ(Watched({first, After(WithCpu(first, 0, 20ms), 1s)}).count, 3);
  const Processes worked = WithCpu(WithCpu(first, 0, 160ms), 1, 10ms);
  EXPECT_EQ(Watched({first, After(worked, 1s)}).count, 3);
}

TEST(WorkerWatchTest, AWorkerThatTookAnothersPlaceCountsForIt) {
  const Processes first = Forked(2);
  Processes second = After(WithCpu(first, 1, 10ms), 1s);
  second.processes[2] = AProcess(20, 2, Listens::kYes);  // after max_requests
  const WorkerCoverage coverage = Watched({first, second});
  EXPECT_EQ(coverage.count, 2);
  EXPECT_EQ(coverage.reached, 2);
  EXPECT_EQ(coverage.replaced, 1);
  EXPECT_FALSE(coverage.risen);
}

TEST(WorkerWatchTest, TellsAWorkerFromAFormerOneOfTheSameId) {
  const Processes first = Forked(2);
  Processes second = After(first, 1s);
  second.processes[1].started = 5s;
  second.processes[1].cpu_time = 1s;  // of its own start
  const WorkerCoverage coverage = Watched({first, second});
  EXPECT_EQ(coverage.replaced, 1);
  EXPECT_FALSE(coverage.risen);
}

TEST(WorkerWatchTest, IsNeverCompleteWhereMoreServeThanACensusHolds) {
  Processes all = WithCpu(WithCpu(After(Forked(2), 1s), 1, 50ms), 2, 50ms);
  EXPECT_TRUE(Watched({Forked(2), all}).complete());
  all.more = true;
  EXPECT_FALSE(Watched({Forked(2), all}).complete());
  all.processes.push_back(AProcess(99, 2, Listens::kNo));  // so all that listen are told
  EXPECT_TRUE(Watched({Forked(2), all}).complete());
}

}  // namespace
}  // namespace mlprof::server
