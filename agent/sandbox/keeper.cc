#include "agent/sandbox/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include "agent/sampling/kept_file.h"
#include "agent/sampling/model_processes.h"
#include "agent/sandbox/confine.h"
#include "common/os/unique_fd.h"
#include "common/sandbox/sandbox_plan.h"

namespace mlprof::agent {
namespace {

// What SIGKILL has not ended within two seconds waits in the kernel; the next start of the server
// removes what is left of it then.
constexpr int kEndAttempts = 200;
constexpr int kEndPauseMs = 10;
constexpr std::size_t kLargestPlan = 4u << 20;

Result<SandboxPlan> ReadPlan() {
  std::string bytes;
  while (!IsWholeSandboxPlan(bytes)) {
    char piece[4096];
    const ssize_t n = ::read(kSandboxPlanFd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Fail(InvalidArgument("the plan of the sandbox ended early"));
    bytes.append(piece, static_cast<std::size_t>(n));
    if (bytes.size() > kLargestPlan) return Fail(InvalidArgument("the plan is too long"));
  }
  return DecodeSandboxPlan(bytes);
}

void Pause() { ::poll(nullptr, 0, kEndPauseMs); }

// As fork, into new namespaces: the child is the first process of its own.
pid_t ForkInto(unsigned long namespaces) {
  return static_cast<pid_t>(
      ::syscall(SYS_clone, namespaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

pid_t StartCommand(const SandboxPlan& plan, const SandboxUser& user) {
  const UniqueFd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  const pid_t command = ForkInto(NamespacesOf(plan));
  if (command == 0) BecomeCommand(plan, user, self.get());
  return command;
}

void Report(int status) {
  SandboxEnd end;
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  const std::string line = EncodeSandboxEnd(end);
  [[maybe_unused]] const ssize_t n = ::write(kSandboxReportFd, line.data(), line.size());
}

// Until the plan's pipe ends. An end of the command before that is told. Whether it was reaped: its
// number is then no longer its own.
bool Await(pid_t command) {
  const UniqueFd ended(static_cast<int>(::syscall(SYS_pidfd_open, command, 0)));
  bool told = false;
  for (;;) {
    pollfd watched[2] = {{kSandboxPlanFd, POLLIN, 0}, {told ? -1 : ended.get(), POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) return told;
    if (watched[1].revents != 0) {
      int status = 0;
      if (::waitpid(command, &status, WNOHANG) == command) {
        Report(status);
        told = true;
      }
    }
    if (watched[0].revents != 0) return told;
  }
}

void KillCgroup(const std::string& folder) {
  std::string pids = ReadWholeFile(folder + "/cgroup.procs");
  std::string_view rest = pids;
  while (const auto pid = ParseNumber(rest)) {
    ::kill(static_cast<pid_t>(*pid), SIGKILL);
    const std::size_t line = rest.find('\n');
    if (line == std::string_view::npos) break;
    rest.remove_prefix(line + 1);
  }
}

// Where the sandbox has a pid namespace, the end of its first process is the end of all.
void EndProcesses() {
  for (int attempt = 0; attempt < kEndAttempts; ++attempt) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const auto left = ListModelProcesses();
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    Pause();
  }
}

void RemoveCgroups(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    for (int attempt = 0; attempt < kEndAttempts; ++attempt) {
      if (::rmdir(folder.c_str()) == 0 || errno != EBUSY) break;
      KillCgroup(folder);
      Pause();
    }
  }
}

// What holds the cgroups of a server that is gone. It stays where another keeper's are still in it,
// whose turn it is then; those just removed are in the way for a moment.
void RemoveHoldersOf(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const std::string holder = folder.substr(0, folder.rfind('/'));
    for (int attempt = 0; attempt < kEndAttempts; ++attempt) {
      if (::rmdir(holder.c_str()) == 0 || errno != EBUSY) break;
      Pause();
    }
  }
}

}  // namespace

Status KeepSandbox() {
  const pid_t server = ::getppid();
  // As a container's: the server's own keeps what it makes from others, the model too.
  ::umask(022);
  // Orphans of the command fall to this process where there is no pid namespace.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::signal(SIGPIPE, SIG_IGN);
  MLPROF_LET(plan, ReadPlan());
  const SandboxUser user{::geteuid(), ::getegid()};
  const pid_t command = StartCommand(plan, user);
  if (command < 0) {
    const Error why = FromErrno(errno, "namespaces of its own");
    RemoveCgroups(plan.cgroups);
    return Fail(why);
  }
  ::close(kSandboxLinkFd);
  if (!Await(command)) ::kill(command, SIGKILL);
  EndProcesses();
  RemoveCgroups(plan.cgroups);
  if (::getppid() != server) RemoveHoldersOf(plan.cgroups);
  return {};
}

}  // namespace mlprof::agent
