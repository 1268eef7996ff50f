#include "agent/supervise/supervisor.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "agent/supervise/signals.h"

namespace mlprof::agent {

using agent_protocol::ProcessEvent;

namespace {

// How soon a worker that vanished is told. A row that it took is named only if that comes within
// kWordOfDeath of its broken connection (server/replay/kill_watch.cc).
constexpr std::chrono::milliseconds kWatchInterval{200};
// For a second in all: what SIGKILL has not ended by then waits in the kernel, and ends with the
// container.
constexpr std::chrono::milliseconds kKillInterval{2};
constexpr int kKillAttempts = 500;
// How many stopped threads are let go on in one turn of the loop: threads that write without end
// stop faster than that, and the other watchers must have their turn.
constexpr int kMostStops = 64;

}  // namespace

Supervisor::Supervisor(EventLoop& loop, const CgroupReader& cgroup, Sink sink)
    : loop_(loop), cgroup_(cgroup), sink_(std::move(sink)), oom_kills_(cgroup.OomKills()) {}

Supervisor::~Supervisor() {
  loop_.Cancel(watch_timer_);
  loop_.Cancel(reap_timer_);
  loop_.Cancel(stop_timer_);
  if (report_) loop_.Unwatch(report_.get(), &report_watcher_);
  if (signals_) loop_.Unwatch(signals_.get(), this);
}

Status Supervisor::Open() {
  sigset_t taken;
  ::sigemptyset(&taken);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT}) ::sigaddset(&taken, signal);
  ::sigprocmask(SIG_BLOCK, &taken, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  signals_.Reset(::signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals_) return Fail(FromErrno(errno, "taking over signals"));
  return loop_.Watch(signals_.get(), EPOLLIN, this);
}

void Supervisor::FailStart(const std::string& why) {
  ProcessEvent event;
  event.kind = ProcessEvent::Kind::kStartFailed;
  event.detail = why;
  sink_(event);
}

void Supervisor::Launch(const agent_protocol::Start& start) {
  const auto stop_signal = ParseSignal(start.stop_signal);
  if (!stop_signal) return FailStart("not a signal: " + start.stop_signal);
  stop_signal_ = *stop_signal;
  if (start.watch_writes) write_watch_.emplace();
  auto launched = LaunchCommand(start);
  if (!launched) return FailStart(launched.error().message());
  command_ = group_ = launched->pid;
  report_ = std::move(launched->report);
  const Status watched = loop_.Watch(report_.get(), EPOLLIN, &report_watcher_);
  if (!watched) FailStart(watched.error().message());
}

void Supervisor::ReadReport() {
  if (!report_) return;
  char text[4096];
  const ssize_t n = ::read(report_.get(), text, sizeof(text));
  loop_.Unwatch(report_.get(), &report_watcher_);
  report_.Reset();
  if (n > 0) {
    command_ = 0;
    return FailStart(std::string(text, static_cast<std::size_t>(n)));
  }
  ProcessEvent event;
  event.kind = ProcessEvent::Kind::kStarted;
  event.pid = command_;
  sink_(event);
}

// Reads one signal a turn. If it read until none is left, a model whose children stop all the time
// would keep the loop here.
void Supervisor::OnEvents(std::uint32_t) {
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof(info)) != sizeof(info)) return;
  if (info.ssi_signo == SIGCHLD) {
    Reap();
  } else {
    PassOn(info);
  }
}

void Supervisor::Reap() {
  int stops_left = kMostStops;
  int status = 0;
  while (stops_left > 0) {
    NameNextKilled();
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) break;
    if (WIFSTOPPED(status)) {
      --stops_left;
      OnStopped(pid, status);
    } else {
      OnReaped(pid, status);
    }
  }
  // One SIGCHLD may stand for many stops, so no further one need come for those that are left.
  loop_.Cancel(reap_timer_);
  if (stops_left == 0) reap_timer_ = loop_.At(Clock::now(), [this] { ReapMore(); });
  if (stopped_ && ListModelProcesses().empty()) FinishStop();
}

void Supervisor::NameNextKilled() {
  siginfo_t next{};
  const int found = ::waitid(P_ALL, 0, &next, WEXITED | WNOHANG | WNOWAIT);
  if (found == 0 && next.si_pid != 0 && next.si_code == CLD_KILLED) names_.LearnEnded(next.si_pid);
}

void Supervisor::ReapMore() {
  reap_timer_ = {};
  Reap();
}

void Supervisor::OnStopped(pid_t pid, int status) {
  if (!write_watch_) {
    // The process has made its parent its tracer (PTRACE_TRACEME), which any process may do: let
    // go.
    ::ptrace(PTRACE_DETACH, pid, nullptr, static_cast<long>(WSTOPSIG(status)));
    return;
  }
  const Status watched = write_watch_->OnStop(pid, status);
  if (watched) return;
  ::kill(pid, SIGKILL);
  if (pid != command_ || !report_) return;
  loop_.Unwatch(report_.get(), &report_watcher_);
  report_.Reset();
  command_ = 0;
  FailStart(watched.error().message());
}

void Supervisor::OnReaped(pid_t pid, int status) {
  if (pid == command_) ReadReport();  // the end may be noticed before the report of its start was
  standing_.Forget(pid);
  if (write_watch_) write_watch_->Forget(pid);
  const bool killed = WIFSIGNALED(status);
  const bool was_command = pid == command_;
  // While writes are watched this process is the tracer, and is told of the end of every thread:
  // that is no death of a child.
  if (!was_command && (!killed || write_watch_)) return;
  // The kernel counts a kill for memory before the victim ends, so the counter holds it by now.
  NoteOomKills(cgroup_.OomKills());
  ProcessEvent event;
  event.kind = was_command ? ProcessEvent::Kind::kExited : ProcessEvent::Kind::kChildDied;
  event.pid = pid;
  event.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  event.signal = killed ? WTERMSIG(status) : 0;
  event.detail = names_.Take(pid);
  if (was_command) {
    command_ = 0;
    loop_.Cancel(watch_timer_);
    TellRefusedWrites();
    // As in any container, the end of the command is the end of what it started.
    KillAll();
  } else if (stopped_) {
    return;
  }
  sink_(event);
}

void Supervisor::TellRefusedWrites() {
  if (!write_watch_) return;
  for (const RefusedWrite& refused : write_watch_->refused()) {
    ProcessEvent event;
    event.kind = ProcessEvent::Kind::kWriteRefused;
    event.detail = refused.path;
    event.folder = refused.folder;
    sink_(event);
  }
}

void Supervisor::NoteOomKills(std::int64_t oom_kills) {
  if (oom_kills <= oom_kills_) return;
  oom_kills_ = oom_kills;
  ProcessEvent event;
  event.kind = ProcessEvent::Kind::kOomKill;
  event.oom_kills = oom_kills;
  sink_(event);
}

void Supervisor::Forward(int signal) const {
  if (group_ > 0) ::kill(-group_, signal);
}

// The kernel gives no id to a sender outside this process's pid namespace.
void Supervisor::PassOn(const signalfd_siginfo& signal) {
  const int number = static_cast<int>(signal.ssi_signo);
  if (signal.ssi_pid == 0 && ::getpid() == 1) {
    ProcessEvent event;
    event.kind = ProcessEvent::Kind::kToldToEnd;
    event.signal = number;
    sink_(event);
  }
  Forward(number);
}

void Supervisor::WatchProcesses() {
  const std::set<pid_t> present = ListModelProcesses();
  standing_.MarkStanding(present);
  names_.Learn(present);
  watch_timer_ = loop_.At(Clock::now() + kWatchInterval, [this] { ObserveProcesses(); });
}

void Supervisor::ObserveProcesses() {
  watch_timer_ = {};
  if (stopped_ || command_ == 0) return;
  Reap();
  if (command_ == 0) return;
  const auto now = Clock::now();
  const std::set<pid_t> present = known_.Now();
  const std::vector<pid_t> gone = standing_.Observe(present, now);
  for (const pid_t pid : gone) {
    NoteOomKills(cgroup_.OomKills());
    ProcessEvent event;
    event.kind = ProcessEvent::Kind::kChildDied;
    event.pid = pid;
    // Which of several was killed, and which ended, only their parent knows.
    if (gone.size() == 1) event.detail = names_.Of(pid);
    sink_(event);
  }
  names_.Learn(present);
  watch_timer_ = loop_.At(now + kWatchInterval, [this] { ObserveProcesses(); });
}

void Supervisor::Stop(std::chrono::milliseconds grace, std::function<void()> done) {
  if (stopped_ && grace.count() > 0) return;
  stopped_ = std::move(done);
  loop_.Cancel(stop_timer_);
  if (grace.count() <= 0) return KillUntilGone(kKillAttempts);
  if (ListModelProcesses().empty()) return FinishStop();
  Forward(stop_signal_);
  // A process that was stopped (SIGSTOP) takes the signal only once it runs again.
  Forward(SIGCONT);
  stop_timer_ = loop_.At(Clock::now() + grace, [this] { KillUntilGone(kKillAttempts); });
}

// Kills repeatedly: outside a pid namespace a process may fork while the list is being read.
void Supervisor::KillUntilGone(int attempts_left) {
  stop_timer_ = {};
  KillAll();
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  if (attempts_left == 0 || ListModelProcesses().empty()) return FinishStop();
  stop_timer_ = loop_.At(Clock::now() + kKillInterval,
                         [this, attempts_left] { KillUntilGone(attempts_left - 1); });
}

void Supervisor::FinishStop() {
  loop_.Cancel(stop_timer_);
  const auto done = std::exchange(stopped_, std::function<void()>([] {}));
  (*done)();
}

void Supervisor::KillAll() const {
  if (::getpid() == 1) {
    ::kill(-1, SIGKILL);
    return;
  }
  if (group_ > 0) ::kill(-group_, SIGKILL);
  for (const pid_t pid : ListModelProcesses()) ::kill(pid, SIGKILL);
}

}  // namespace mlprof::agent
