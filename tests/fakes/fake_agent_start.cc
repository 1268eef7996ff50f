// How the imitated model starts, and what the imitated agent tells of its ends.
#include <algorithm>
#include <csignal>

#include "tests/fakes/fake_agent_link.h"

namespace mlprof::server {

using agent_protocol::ProcessEvent;

void FakeAgentLink::BeReady(AgentListener& listener, std::chrono::milliseconds timeout) {
  agent_protocol::Ready ready;
  ready.took = model_.start_time + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       model_.start_cpu * (Stretch() - 1));
  ready.cpu_time = model_.start_cpu;
  ready.processes = 1;
  if (null_target_) return listener.OnReady(ready);
  if (!model_.start_failure.empty()) {
    ProcessEvent event;
    event.kind = ProcessEvent::Kind::kStartFailed;
    event.detail = model_.start_failure;
    listener.OnProcessEvent(event);
    return;
  }
  if (!begins_) return Die(listener, 1, 0);
  if (refused_ || model_.says_read_only) return DieReadOnly(listener);
  if (MemoryLimit() < model_.start_peak) {
    if (!model_.forks) {
      oom_killed_ = true;
      return Die(listener, 0, SIGKILL);
    }
    for (int kill = 0; kill < model_.start_kills; ++kill) TellOomKill(listener);
    if (MemoryLimit() < model_.first_worker_peak.value_or(model_.start_peak)) return;
  }
  if (ready.took > timeout) {
    clock_.Pass(timeout);
    ProcessEvent event;
    event.kind = ProcessEvent::Kind::kNotReady;
    event.detail = "nothing answered";
    return listener.OnProcessEvent(event);
  }
  clock_.Pass(ready.took);
  listener.OnSample(Read(model_.start_peak));
  ready.peak_unreclaimable = model_.start_peak;
  ready.threads = model_.threads;
  ready.address_space = GiB(1);
  if (model_.reserves_heap) ready.address_space += Scale(MemoryLimit(), model_.heap_share);
  ports_.Listen();
  listener.OnReady(ready);
  if (model_.forks && MemoryLimit() < model_.late_worker_peak) TellOomKill(listener);
}

void FakeAgentLink::DieReadOnly(AgentListener& listener) {
  ProcessEvent event;
  if (watched_ && model_.cannot_be_watched) {
    event.kind = ProcessEvent::Kind::kStartFailed;
    event.detail = "its writes cannot be watched: Operation not permitted";
    return listener.OnProcessEvent(event);
  }
  if (watched_ && model_.exit_code_watched) return Die(listener, *model_.exit_code_watched, 0);
  if (watched_ && refused_) {
    std::vector<RefusedWrite> told = {*refused_};
    told.insert(told.end(), model_.shrugged_off.begin(), model_.shrugged_off.end());
    for (const RefusedWrite& write : told) {
      event.kind = ProcessEvent::Kind::kWriteRefused;
      event.detail = write.path;
      event.folder = write.folder;
      listener.OnProcessEvent(event);
    }
  }
  Die(listener, 1, 0);
}

void FakeAgentLink::Die(AgentListener& listener, int exit_code, int signal) {
  dead_ = true;
  ports_.End(Unavailable("the model ended"));
  if (oom_killed_) TellOomKill(listener);
  ProcessEvent event;
  event.kind = ProcessEvent::Kind::kExited;
  event.exit_code = exit_code;
  event.signal = signal;
  listener.OnProcessEvent(event);
}

void FakeAgentLink::TellOomKill(AgentListener& listener) {
  ProcessEvent event;
  event.kind = ProcessEvent::Kind::kOomKill;
  event.oom_kills = ++oom_kills_;
  listener.OnProcessEvent(event);
}

void FakeAgentLink::TellChildDied(AgentListener& listener) {
  ProcessEvent event;
  event.kind = ProcessEvent::Kind::kChildDied;
  listener.OnProcessEvent(event);
}

}  // namespace mlprof::server
