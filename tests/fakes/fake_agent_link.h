// An agent that lives in this process: keeps the order and the threads of the real one.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "server/runtime/agent_link.h"
#include "tests/fakes/fake_heap.h"
#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {

class FakeAgentLink final : public AgentLink {
 public:
  /// `refused`: the write that its container refuses the model, if any.
  FakeAgentLink(FakeModel model, Limits limits, std::optional<RefusedWrite> refused,
                FakeClock& clock);
  ~FakeAgentLink() override;

  void Listen(AgentListener* listener) override;
  void Start(const agent_protocol::Start& start) override;
  void SetConnections(const agent_protocol::Connections& connections) override;
  void SendRow(agent_protocol::Row row) override;
  void TakeCensus(const agent_protocol::CensusQuestion& question) override;
  void Stop(const agent_protocol::Stop& stop) override;
  Result<std::unique_ptr<PortStream>> Connect(int port, Deadline) override {
    return ports_.Connect(port);
  }
  void SetCpu(Cores cpu);
  void SetMemory(Bytes memory);
  /// The connection breaks without a word.
  void Close();
  /// A signal from outside. The model ends, or drains: it refuses every row and lives on.
  void TellToEnd(bool drains);
  bool oom_killed() const { return oom_killed_; }
  bool dead() const { return dead_; }

 private:
  struct Worker {
    std::int64_t pid = 0;
    std::chrono::nanoseconds cpu_time{0};
    bool loaded = false;
    int rows = 0;
  };
  Worker NewWorker() { return {++last_pid_, {}, false, 0}; }
  Worker& NextWorker();
  void ReplaceIfDue(AgentListener& listener, Worker& worker);
  agent_protocol::Processes Census() const;

  using Action = std::function<void(AgentListener&)>;
  void Post(Action action);
  void Run(std::stop_token stop);
  void BeReady(AgentListener& listener, std::chrono::milliseconds timeout);
  void Respond(AgentListener& listener, const agent_protocol::Row& row);
  void RespondNull(AgentListener& listener, const agent_protocol::Row& row);
  void Reset(AgentListener& listener, const agent_protocol::Row& row);
  void ResetAndDie(AgentListener& listener, const agent_protocol::Row& row);
  void ReadBackForEver(AgentListener& listener);
  void EndWorker(AgentListener& listener, const agent_protocol::Row& row, bool for_memory);
  void TellOomKill(AgentListener& listener);
  void TellChildDied(AgentListener& listener);
  void Die(AgentListener& listener, int exit_code, int signal);
  void DieReadOnly(AgentListener& listener);
  /// A quota below one core makes what keeps one core busy so many times as long.
  double Stretch() const;
  bool Throttled() const;
  Bytes MemoryLimit() const { return Bytes(memory_limit_.load()); }
  /// CPU time of a row with this body, which is seen from now on.
  std::chrono::microseconds Visit(const std::string& body);
  bool OutOfOrder(const std::string& body);
  Bytes Serving() const;
  std::int64_t WaitingRows();
  Sample Read(Bytes memory);

  FakeModel model_;
  FakePorts ports_;
  std::optional<RefusedWrite> refused_;
  FakeClock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  AgentListener* listener_ = nullptr;
  bool delivering_ = false;
  std::deque<Action> actions_;
  std::chrono::nanoseconds started_;
  std::chrono::nanoseconds read_at_;
  std::chrono::nanoseconds throttled_time_{0};
  std::chrono::nanoseconds cpu_time_{0};
  std::chrono::nanoseconds run_queue_wait_{0};
  std::int64_t periods_ = 0;
  std::int64_t throttled_periods_ = 0;
  std::atomic<std::int64_t> millicores_;
  std::atomic<std::int64_t> memory_limit_;
  std::atomic<bool> oom_killed_ = false;
  std::atomic<bool> dead_ = false;
  bool drains_ = false;
  bool null_target_ = false;
  bool begins_ = true;
  bool watched_ = false;
  bool resetting_ = false;  // it is about to die
  std::int64_t oom_kills_ = 0;
  std::optional<std::chrono::nanoseconds> replaced_;  // when the last worker was
  std::int64_t rows_ = 0;
  std::set<std::string> seen_;  // bodies
  std::string last_body_;
  int furthest_row_ = -1;  // with never_goes_back
  FakeHeap heap_{model_};
  std::int64_t refaults_ = 0;
  std::int64_t last_pid_ = 10;  // the master's
  std::vector<Worker> workers_;
  std::size_t turn_ = 0;
  agent_protocol::Connections connections_;
  std::jthread thread_;
};

}  // namespace mlprof::server
