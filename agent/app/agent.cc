#include "agent/app/agent.h"

#include <unistd.h>

#include <algorithm>

#include "agent/page_cache/drop_cache.h"
#include "agent/sampling/census.h"
#include "agent/sampling/process_tree.h"
#include "agent/sampling/serving_census.h"

namespace mlprof::agent {

using agent_protocol::ProcessEvent;

namespace {

// How long samples are held back so that several leave in one write: each write wakes the
// controller, which takes CPU time on the same host, and nothing decides on a sample within less.
constexpr std::chrono::milliseconds kLongestHold{100};

}  // namespace

Status Agent::Serve(UniqueFd controller, MeasuredBy measured_by) {
  MLPROF_LET(loop, EventLoop::Open());
  if (measured_by == MeasuredBy::kProcessTree) {
    Agent agent(loop, std::move(controller), std::make_unique<ProcessTree>());
    return agent.Run(0);
  }
  const CgroupLocation location =
      LocateCgroup(ReadWholeFile("/proc/self/cgroup"), ReadWholeFile("/proc/self/mountinfo"));
  Agent agent(loop, std::move(controller), OpenCgroup(location));
  return agent.Run(location.version);
}

Agent::Agent(EventLoop& loop, UniqueFd controller, std::unique_ptr<CgroupReader> cgroup)
    : loop_(loop),
      cgroup_(std::move(cgroup)),
      link_(loop, std::move(controller), *this),
      tunnel_(loop, link_),
      sampler_(loop, *cgroup_, proc_, high_water_, run_queue_),
      supervisor_(loop, *cgroup_, [this](const ProcessEvent& event) { OnProcessEvent(event); }) {}

Status Agent::Run(int cgroup_version) {
  MLPROF_TRY(supervisor_.Open());
  MLPROF_TRY(link_.Open());
  agent_protocol::Hello hello;
  hello.agent_version = MLPROF_VERSION;
  hello.pid = ::getpid();
  hello.cgroup_version = cgroup_version;
  link_.Send(hello);
  link_.Flush();
  loop_.Run([this] {
    link_.Flush();
    tunnel_.SetRoom(link_.HasRoom());
  });
  return {};
}

void Agent::OnStart(const agent_protocol::Start& start) {
  if (started_) return OnControllerGone(InvalidArgument("a second start"));
  started_ = true;
  auto head = RequestHead::ForRows(start);
  auto probe = RequestHead::ForReadiness(start);
  if (!head || !probe) {
    ProcessEvent event;
    event.kind = ProcessEvent::Kind::kStartFailed;
    event.detail = (head ? probe : head).error().message();
    return link_.Send(event);
  }
  relay_.emplace(loop_, Relay::Target{start.port, std::move(*head), start.request_timeout},
                 *cgroup_, high_water_,
                 [this](const agent_protocol::Response& response) { OnResponse(response); });
  readiness_.emplace(loop_, start.port, std::move(*probe), start.readiness_path.empty(),
                     Readiness::Outcome{[this] { OnReady(); },
                                        [this, port = start.port,
                                         path = start.readiness_path](const std::string& last_try) {
                                          ProcessEvent event;
                                          event.kind = ProcessEvent::Kind::kNotReady;
                                          event.detail = "GET " + (path.empty() ? "/" : path) +
                                                         " on port " + std::to_string(port) + ": " +
                                                         last_try;
                                          supervisor_.TellRefusedWrites();
                                          link_.Send(event);
                                        }});
  port_ = start.port;
  start_timeout_ = start.start_timeout;
  samples_per_write_ =
      static_cast<int>(std::clamp<std::int64_t>(kLongestHold / start.sample_interval, 1, 40));
  DropFileCache(start.drop_cache);
  sampler_.Start(start.sample_interval, [this](const Sample& sample) { OnSample(sample); });
  cpu_at_start_ = ModelCpuTime(*cgroup_);
  started_at_ = Clock::now();
  supervisor_.Launch(start);
}

// The directory entries that the walk leaves in the kernel's memory are charged to the container,
// but the model did not cause them: what unreclaimable memory rose by meanwhile is taken out.
void Agent::DropFileCache(const std::vector<std::string>& folders) {
  if (folders.empty()) return;
  const Bytes before = sampler_.Take().unreclaimable;
  // What was not reached in time is no other container's.
  if (DropCache(folders).in_time) sampler_.TellUnchargedFiles();
  sampler_.TakeOut(sampler_.Take().unreclaimable - before);
}

void Agent::OnRow(const agent_protocol::RowView& row, Clock::time_point read_at) {
  sampler_.Stir(read_at);
  if (relay_) return relay_->Add(row, read_at);
  agent_protocol::Response response;
  response.id = row.id;
  response.failure = agent_protocol::RowFailure::kConnect;
  link_.Send(response);
}

void Agent::OnConnections(const agent_protocol::Connections& connections) {
  if (relay_) relay_->SetConnections(connections);
}

void Agent::OnCensusQuestion(const agent_protocol::CensusQuestion& question) {
  agent_protocol::Processes processes = ReadProcesses(ListModelProcesses(), port_);
  processes.number = question.number;
  link_.Send(processes);
}

void Agent::OnStop(const agent_protocol::Stop& stop) {
  if (readiness_) readiness_->Stop();
  supervisor_.Stop(stop.grace, [this] {
    link_.Flush();
    loop_.Stop();
  });
}

Status Agent::OnForward(const agent_protocol::ForwardMessage& message) {
  return tunnel_.On(message);
}

void Agent::OnControllerGone(const Error&) {
  tunnel_.Drop();
  sampler_.Stop();
  supervisor_.Stop(std::chrono::milliseconds{0}, [this] { loop_.Stop(); });
}

void Agent::OnProcessEvent(const ProcessEvent& event) {
  link_.Send(event);
  if (event.kind == ProcessEvent::Kind::kStarted) BeginWaiting();
  if (event.kind == ProcessEvent::Kind::kToldToEnd) told_to_end_ = true;
  if (event.kind == ProcessEvent::Kind::kExited) {
    model_runs_ = false;
    if (readiness_) readiness_->Stop();
    tunnel_.OnModelEnded();
  }
  // Who stops the container waits for its process 1, an engine for ten seconds.
  if (told_to_end_ && !model_runs_) loop_.At(Clock::now(), [this] { OnStop({}); });
}

void Agent::BeginWaiting() {
  model_runs_ = true;
  started_at_ = Clock::now();
  readiness_->Start(started_at_ + start_timeout_);
}

void Agent::OnReady() {
  agent_protocol::Ready ready;
  ready.took = Clock::now() - started_at_;
  ready.cpu_time = ModelCpuTime(*cgroup_) - cpu_at_start_;
  // One whole reading now: the peak, or a kill for memory, may have come since the last sample.
  supervisor_.NoteOomKills(sampler_.Take().oom_kills);
  ready.peak_unreclaimable = sampler_.peak_unreclaimable();
  const Census census = TakeCensus(ListModelProcesses());
  ready.processes = census.processes;
  ready.threads = census.threads;
  ready.thread_pools = census.thread_pools;
  ready.address_space = census.address_space;
  link_.Send(ready);
  sampler_.BeginServing();
  supervisor_.WatchProcesses();
}

void Agent::OnResponse(const agent_protocol::Response& response) {
  link_.Send(response);
  if (response.peak_rise) sampler_.CarryPeak();
}

void Agent::OnSample(const Sample& sample) {
  supervisor_.NoteOomKills(sample.oom_kills);
  if (!link_.Clogged()) link_.Hold(sample, sampler_.calm() ? 1 : samples_per_write_);
}

}  // namespace mlprof::agent
