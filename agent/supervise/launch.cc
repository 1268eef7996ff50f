#include "agent/supervise/launch.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "agent/sampling/kept_file.h"
#include "agent/supervise/accounts.h"
#include "agent/supervise/syscall_filter.h"
#include "agent/supervise/write_watch.h"
#include "common/os/descriptor_limit.h"

namespace mlprof::agent {
namespace {

using agent_protocol::Start;

constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

Result<Identity> ModelIdentity(const Start& start, const std::string& root) {
  auto identity = ResolveUser(start.user, ReadWholeFile(root + "/etc/passwd"),
                              ReadWholeFile(root + "/etc/group"));
  if (!identity || start.run_as_root) return identity;
  if (identity->uid == 0) return Identity{kNobody, kNobody, {}, ""};
  return identity;
}

// Everything below runs in the child, between fork and execve. The agent has one thread, so
// allocating there is safe.

[[noreturn]] void Give(int report, const std::string& why) {
  [[maybe_unused]] const ssize_t n = ::write(report, why.data(), why.size());
  ::_exit(127);
}

[[noreturn]] void GiveErrno(int report, const std::string& what) {
  Give(report, what + ": " + std::strerror(errno));
}

void ResetSignals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// stdin is empty; the log pipes belong to root, and an image that opens /dev/stdout again does so
// as another user.
void PrepareStreams() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) ::dup2(null, STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status {};
    if (::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) ::fchmod(fd, 0666);
  }
}

// The kernel then takes the model rather than the agent when memory runs out. It has to be more
// than the container's own score, which the agent has.
void PreferForOom() {
  const UniqueFd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (file) [[maybe_unused]]
    const ssize_t n = ::write(file.get(), "1000", 4);
}

// A model that keeps uid 0 may change owners and users, but not signal what is not its own.
void KeepFewCapabilities() {
  constexpr std::uint32_t kKept = (1u << CAP_CHOWN) | (1u << CAP_SETUID) | (1u << CAP_SETGID);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return;
  data[0].permitted &= kKept;
  data[0].effective &= kKept;
  data[0].inheritable = 0;
  data[1] = {};
  ::syscall(SYS_capset, &header, data);
}

void Become(const Identity& identity, int report) {
  if (::geteuid() != 0) return;
  if (identity.uid == 0) KeepFewCapabilities();
  if (::setgroups(identity.groups.size(), identity.groups.data()) != 0) {
    GiveErrno(report, "setting the model's groups");
  }
  if (::setgid(identity.gid) != 0) GiveErrno(report, "setting the model's group");
  if (::setuid(identity.uid) != 0) GiveErrno(report, "setting the model's user");
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const Start& start, const Identity& identity) {
  std::vector<std::string> environment;
  for (const auto& [name, value] : start.environment) environment.push_back(name + "=" + value);
  if (!start.environment.contains("HOME")) {
    environment.push_back("HOME=" + (identity.home.empty() ? "/tmp" : identity.home));
  }
  return environment;
}

std::vector<std::string> Candidates(const Start& start) {
  const std::string& program = start.command.front();
  if (program.empty() || program.find('/') != std::string::npos) return {program};
  const auto entry = start.environment.find("PATH");
  std::string_view path = kDefaultPath;
  if (entry != start.environment.end()) path = entry->second;
  std::vector<std::string> candidates;
  while (true) {
    const std::size_t colon = path.find(':');
    const std::string folder(path.substr(0, colon));
    candidates.push_back((folder.empty() ? "." : folder) + "/" + program);
    if (colon == std::string_view::npos) return candidates;
    path.remove_prefix(colon + 1);
  }
}

[[noreturn]] void Exec(const Start& start, const Identity& identity, int report) {
  std::vector<std::string> arguments = start.command;
  std::vector<std::string> environment = Environment(start, identity);
  const auto argv = Pointers(arguments);
  const auto envp = Pointers(environment);
  const auto candidates = Candidates(start);
  std::string why;
  for (const std::string& path : candidates) {
    ::execve(path.c_str(), argv.data(), envp.data());
    const int error = errno;
    const bool only_missing = (error == ENOENT || error == ENOTDIR) && ::access(path.c_str(), F_OK);
    if (!only_missing || candidates.size() == 1) why = ExplainExecFailure(path, error);
    if (!only_missing && error != EACCES) break;
  }
  if (why.empty()) why = start.command.front() + " is not in the PATH of the image";
  Give(report, why);
}

[[noreturn]] void RunChild(const Start& start, const Identity& identity, int report, pid_t agent) {
  ::setsid();
  ResetSignals();
  PrepareStreams();
  PreferForOom();
  RestoreDescriptorLimit();
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  Become(identity, report);
  // Cleared by a change of identity, so it is set after that. Process 1's end ends all anyway.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::getppid() != agent) ::_exit(127);
  const std::string folder = start.working_directory.empty() ? "/" : start.working_directory;
  if (::chdir(folder.c_str()) != 0) GiveErrno(report, "working directory " + folder);
  if (const Status filtered = FilterSystemCalls(); !filtered) {
    Give(report, filtered.error().message());
  }
  if (const Status watched = start.watch_writes ? LetWritesBeWatched() : Status(); !watched) {
    Give(report, watched.error().message());
  }
  ::syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  Exec(start, identity, report);
}

}  // namespace

Result<Launched> LaunchCommand(const Start& start, const std::string& root) {
  MLPROF_LET(identity, ModelIdentity(start, root));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Fail(FromErrno(errno, "opening a pipe"));
  UniqueFd report(ends[0]);
  const UniqueFd child_end(ends[1]);
  const pid_t agent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return Fail(FromErrno(errno, "starting a process for the model"));
  if (pid == 0) RunChild(start, identity, child_end.get(), agent);
  return Launched{pid, std::move(report)};
}

}  // namespace mlprof::agent
