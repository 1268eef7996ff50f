// Runs the model's command: starts it, reaps whatever falls to process 1, forwards signals, watches
// for deaths that nobody reports, and ends it.
#pragma once

#include <sys/signalfd.h>

#include <functional>
#include <optional>

#include "agent/loop/event_loop.h"
#include "agent/sampling/cgroup_reader.h"
#include "agent/sampling/model_processes.h"
#include "agent/supervise/launch.h"
#include "agent/supervise/process_names.h"
#include "agent/supervise/process_set.h"
#include "agent/supervise/write_watch.h"
#include "common/agent_protocol/messages.h"

namespace mlprof::agent {

class Supervisor final : public Watcher {
 public:
  using Sink = std::function<void(const agent_protocol::ProcessEvent&)>;
  Supervisor(EventLoop& loop, const CgroupReader& cgroup, Sink sink);
  ~Supervisor() override;

  /// Takes over SIGCHLD, SIGTERM and SIGINT and makes this process the reaper of orphans.
  Status Open();
  /// Starts the command; kStarted or kStartFailed follows. Once.
  void Launch(const agent_protocol::Start& start);
  /// From now on a standing process that vanishes is told.
  void WatchProcesses();
  /// Stop signal, SIGKILL after `grace` (none: at once, also when stopping already); `done` when
  /// nothing of the model is left.
  void Stop(std::chrono::milliseconds grace, std::function<void()> done);
  /// Tells which writes were refused, where Start asked for that and some were.
  void TellRefusedWrites();
  /// Tells a rise of the cgroup's oom_kill counter.
  void NoteOomKills(std::int64_t oom_kills);

 private:
  void OnEvents(std::uint32_t events) override;
  void ReadReport();
  /// What has ended, and some of what has stopped; the rest in the loop's next turn.
  void Reap();
  void ReapMore();
  /// Keeps the name of the next process that waits to be reaped and was killed.
  void NameNextKilled();
  void OnStopped(pid_t pid, int status);
  void OnReaped(pid_t pid, int status);
  /// A signal that was sent to this process: to the model, and told where it came from outside.
  void PassOn(const signalfd_siginfo& signal);
  void Forward(int signal) const;
  void ObserveProcesses();
  /// SIGKILL to all that there is of the model, now.
  void KillAll() const;
  void KillUntilGone(int attempts_left);
  void FinishStop();
  void FailStart(const std::string& why);

  // The launch report has its own watcher: one object watches one descriptor.
  class ReportWatcher final : public Watcher {
   public:
    explicit ReportWatcher(Supervisor& owner) : owner_(owner) {}
    void OnEvents(std::uint32_t) override { owner_.ReadReport(); }

   private:
    Supervisor& owner_;
  };

  EventLoop& loop_;
  const CgroupReader& cgroup_;
  const Sink sink_;
  UniqueFd signals_;
  UniqueFd report_;
  ReportWatcher report_watcher_{*this};
  pid_t command_ = 0;  // 0: not running
  pid_t group_ = 0;    // the command's, also after its end
  int stop_signal_ = 0;
  std::int64_t oom_kills_ = 0;
  KnownProcesses known_;
  StandingProcesses standing_;
  ProcessNames names_;
  std::optional<WriteWatch> write_watch_;
  TimerId watch_timer_{};
  TimerId reap_timer_{};
  TimerId stop_timer_{};
  std::optional<std::function<void()>> stopped_;
};

}  // namespace mlprof::agent
