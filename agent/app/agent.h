// The agent as a whole: what the controller asks is handed to supervision, relay and sampling, what
// they find goes back over the link.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/link/controller_link.h"
#include "agent/relay/readiness.h"
#include "agent/relay/relay.h"
#include "agent/sampling/sampler.h"
#include "agent/supervise/supervisor.h"
#include "agent/tunnel/tunnel.h"

namespace mlprof::agent {

/// Whether the model has a cgroup, which is the agent's too.
enum class MeasuredBy { kCgroup, kProcessTree };

class Agent final : public ControllerListener {
 public:
  /// `controller` is a connected stream socket. Serves until the controller goes or says Stop; the
  /// model does not outlive it.
  static Status Serve(UniqueFd controller, MeasuredBy measured_by = MeasuredBy::kCgroup);

 private:
  Agent(EventLoop& loop, UniqueFd controller, std::unique_ptr<CgroupReader> cgroup);
  Status Run(int cgroup_version);

  void OnStart(const agent_protocol::Start& start) override;
  void OnRow(const agent_protocol::RowView& row, Clock::time_point read_at) override;
  void OnConnections(const agent_protocol::Connections& connections) override;
  void OnCensusQuestion(const agent_protocol::CensusQuestion& question) override;
  void OnStop(const agent_protocol::Stop& stop) override;
  Status OnForward(const agent_protocol::ForwardMessage& message) override;
  void OnControllerGone(const Error& why) override;

  void DropFileCache(const std::vector<std::string>& folders);
  void OnProcessEvent(const agent_protocol::ProcessEvent& event);
  void OnResponse(const agent_protocol::Response& response);
  void OnSample(const Sample& sample);
  void BeginWaiting();
  void OnReady();

  EventLoop& loop_;
  const std::unique_ptr<CgroupReader> cgroup_;
  const ProcReader proc_;
  HighWater high_water_;
  RunQueue run_queue_;
  ControllerLink link_;
  Tunnel tunnel_;
  Sampler sampler_;
  Supervisor supervisor_;
  std::optional<Relay> relay_;
  std::optional<Readiness> readiness_;
  std::chrono::milliseconds start_timeout_{0};
  int port_ = 0;
  int samples_per_write_ = 1;
  bool started_ = false;
  bool told_to_end_ = false;  // from outside: see ProcessEvent
  bool model_runs_ = false;
  Clock::time_point started_at_{};
  std::chrono::nanoseconds cpu_at_start_{0};
};

}  // namespace mlprof::agent
