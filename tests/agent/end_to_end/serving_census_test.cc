// How many processes of a real forking server serve, as the agent tells it.
#include <gtest/gtest.h>

#include <algorithm>

#include "server/analysis/worker_coverage.h"
#include "tests/agent/end_to_end/agent_process.h"

namespace mlprof::server {
namespace {

using agent_protocol::Listens;
using agent_protocol::ModelProcess;
using agent_protocol::Processes;

agent_protocol::Start StartOfTarget(const std::vector<std::string>& options) {
  const int port = FreePort();
  std::vector<std::string> command = {MLPROF_BINARY_DIR "/bin/target-target-server", "--port",
                                      std::to_string(port)};
  command.insert(command.end(), options.begin(), options.end());
  return StartOf(command, port);
}

Processes CensusOf(AgentProcess& agent, std::uint32_t number) {
  agent.link().TakeCensus({number});
  return agent.recorder().WaitCensus(number).value_or(Processes{});
}

void Send(AgentProcess& agent, std::uint64_t rows, const std::string& body) {
  for (std::uint64_t id = 0; id < rows; ++id) agent.link().SendRow({id, false, body});
  ASSERT_TRUE(agent.recorder().WaitResponses(rows));
}

TEST(AgentCensusTest, AServerOfOneProcessServesItself) {
  AgentProcess agent;
  agent.link().Start(StartOfTarget({}));
  ASSERT_TRUE(agent.recorder().WaitReady());
  const auto serving = ServingProcesses(CensusOf(agent, 1));
  ASSERT_EQ(serving.size(), 1U);
  EXPECT_EQ(serving[0].listens, Listens::kYes);
  EXPECT_GT(serving[0].resident, Bytes(0));
}

TEST(AgentCensusTest, WorkersServeAndTheirMasterDoesNot) {
  AgentProcess agent;
  agent.link().Start(StartOfTarget({"--workers", "3", "--worker-lazy-mib", "20"}));
  ASSERT_TRUE(agent.recorder().WaitReady());
  const Processes before = CensusOf(agent, 1);
  EXPECT_EQ(before.processes.size(), 4U);
  const auto serving = ServingProcesses(before);
  ASSERT_EQ(serving.size(), 3U);
  const std::int64_t master = serving[0].parent;
  for (const ModelProcess& worker : serving) EXPECT_EQ(worker.parent, master);
}

TEST(AgentCensusTest, ConnectionsHeldTogetherReachEveryWorkerAndShowWhatOneTakes) {
  AgentProcess agent;
  agent.link().Start(StartOfTarget({"--workers", "3", "--worker-lazy-mib", "20"}));
  ASSERT_TRUE(agent.recorder().WaitReady());
  WorkerWatch watch(0.005);
  watch.See(CensusOf(agent, 1), 0);
  EXPECT_EQ(watch.Coverage().reached, 0);
  // Which worker gets a connection is the kernel's choice: bursts until each had one.
  std::uint64_t rows = 0;
  for (std::uint32_t burst = 0; burst < 20 && !watch.Coverage().risen; ++burst) {
    using Policy = agent_protocol::Connections::Policy;
    agent.link().SetConnections(burst % 2 == 0
                                    ? agent_protocol::Connections{Policy::kManyHeld, 12}
                                    : agent_protocol::Connections{Policy::kOneARequest, 0});
    for (int row = 0; row < 24; ++row) agent.link().SendRow({rows++, false, "burn=5"});
    ASSERT_TRUE(agent.recorder().WaitResponses(rows));
    watch.See(CensusOf(agent, 2 + burst), static_cast<std::int64_t>(rows));
  }
  const WorkerCoverage coverage = watch.Coverage();
  EXPECT_EQ(coverage.count, 3);
  EXPECT_EQ(coverage.reached, 3);
  ASSERT_TRUE(coverage.per_worker_memory);
  EXPECT_NEAR(coverage.per_worker_memory->mib(), 20, 3);
}

TEST(AgentCensusTest, TheCpuTimeOfThreadsThatHaveEndedCounts) {
  AgentProcess agent;
  agent.link().Start(StartOfTarget({}));
  ASSERT_TRUE(agent.recorder().WaitReady());
  // A thread a connection: with a connection for each row all that worked have ended by the end.
  agent.link().SetConnections({agent_protocol::Connections::Policy::kOneARequest, 0});
  const auto before = ServingProcesses(CensusOf(agent, 1)).at(0).cpu_time;
  Send(agent, 4, "burn=20");
  const auto used = ServingProcesses(CensusOf(agent, 2)).at(0).cpu_time - before;
  EXPECT_GE(used, std::chrono::milliseconds(80));
}

}  // namespace
}  // namespace mlprof::server
