#include "agent/sandbox/confine.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "agent/sandbox/root.h"
#include "common/os/unique_fd.h"

namespace mlprof::agent {
namespace {

// When the machine runs out of memory, the kernel is to end the sandbox before other programs (0 is
// the default, 1000 the most: the agent gives that to the model, so that it goes first).
constexpr std::string_view kOomScore = "500";

Status WriteFile(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return Fail(FromErrno(errno, "opening " + path));
  if (::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return {};
  return Fail(FromErrno(errno, "writing " + path));
}

// One user and one group, which stay who they are: nobody becomes root by this.
Status MapUser(const SandboxUser& user) {
  const auto same = [](unsigned id) {
    return std::to_string(id) + " " + std::to_string(id) + " 1";
  };
  MLPROF_TRY(WriteFile("/proc/self/setgroups", "deny"));
  MLPROF_TRY(WriteFile("/proc/self/uid_map", same(user.uid)));
  return WriteFile("/proc/self/gid_map", same(user.gid));
}

Status RaiseLoopback() {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return Fail(FromErrno(errno, "opening a socket"));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0) return {};
  return Fail(FromErrno(errno, "raising the loopback interface"));
}

// Opened while the machine's tree is still there, joined as late as can be: what is used until then
// is not the model's.
Result<std::vector<UniqueFd>> OpenCgroups(const std::vector<std::string>& folders) {
  std::vector<UniqueFd> files;
  for (const std::string& folder : folders) {
    const std::string path = folder + "/cgroup.procs";
    UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return Fail(FromErrno(errno, "opening " + path));
    files.push_back(std::move(file));
  }
  return files;
}

Status Join(const std::vector<UniqueFd>& cgroups) {
  for (const UniqueFd& file : cgroups) {
    if (::write(file.get(), "0", 1) != 1) return Fail(FromErrno(errno, "joining a cgroup"));
  }
  return {};
}

Status KeepTo(const std::vector<int>& cores) {
  if (cores.empty()) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
  return Fail(FromErrno(errno, "keeping to the model's cores"));
}

// As in a container: an agent that is root gives the model another user, and ends it. It is still
// the user root to files, so those of the kernel that ask for no capability are read-only
// (root.cc).
void GiveUpCapabilities() {
  constexpr std::uint32_t kKept = (1u << CAP_SETUID) | (1u << CAP_SETGID) | (1u << CAP_KILL);
  for (int capability = 0; capability <= CAP_LAST_CAP; ++capability) {
    const bool kept = capability < 32 && ((kKept >> static_cast<unsigned>(capability)) & 1u) != 0;
    if (!kept) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  data[0].permitted = data[0].effective = kKept;
  ::syscall(SYS_capset, &header, data);
}

Status Become(int id) {
  const auto uid = static_cast<uid_t>(id);
  if (::geteuid() != 0) return {};
  if (::setgroups(0, nullptr) != 0 || ::setgid(uid) != 0 || ::setuid(uid) != 0) {
    return Fail(FromErrno(errno, "becoming user " + std::to_string(id)));
  }
  return {};
}

Status Confine(const SandboxPlan& plan, const SandboxUser& user) {
  if (!plan.root.empty() && plan.user_namespace) MLPROF_TRY(MapUser(user));
  MLPROF_LET(cgroups, OpenCgroups(plan.cgroups));
  if (!plan.root.empty()) {
    if (!plan.network) MLPROF_TRY(RaiseLoopback());
    if (!plan.host_name.empty()) {
      if (::sethostname(plan.host_name.c_str(), plan.host_name.size()) != 0) {
        return Fail(FromErrno(errno, "setting the host name"));
      }
    }
    MLPROF_TRY(EnterRoot(plan.root, plan.steps));
  }
  MLPROF_TRY(KeepTo(plan.cores));
  // Not possible everywhere, and only of use where the machine itself is full.
  static_cast<void>(WriteFile("/proc/self/oom_score_adj", kOomScore));
  MLPROF_TRY(Join(cgroups));
  if (plan.run_as) MLPROF_TRY(Become(*plan.run_as));
  if (::geteuid() == 0 && !plan.root.empty()) GiveUpCapabilities();
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return {};
}

// Its end cannot be told by getppid, which is 0 from within a pid namespace.
bool HasEnded(int process) {
  pollfd watched{process, POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

[[noreturn]] void GiveUp(const std::string& why) {
  std::fprintf(stderr, "mlprof-agent: no sandbox: %s\n", why.c_str());
  std::fflush(stderr);
  ::_exit(kSandboxFailed);
}

std::vector<char*> Words(std::vector<std::string>& texts) {
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  return words;
}

}  // namespace

unsigned long NamespacesOf(const SandboxPlan& plan) {
  if (plan.root.empty()) return 0;
  unsigned long flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  if (plan.user_namespace) flags |= CLONE_NEWUSER;
  if (!plan.network) flags |= CLONE_NEWNET;
  return flags;
}

void BecomeCommand(const SandboxPlan& plan, const SandboxUser& user, int keeper) {
  // Its keeper has one thread, so this is the end of the keeper and nothing else. Becoming another
  // user takes it back; a keeper that ended before it was set is not told.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (const Status confined = Confine(plan, user); !confined) GiveUp(confined.error().message());
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (HasEnded(keeper)) GiveUp("its keeper has ended");
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (null) ::dup2(null.get(), kSandboxPlanFd);
  ::syscall(SYS_close_range, static_cast<unsigned>(kSandboxLinkFd + 1), ~0u, 0u);
  std::vector<std::string> arguments = plan.command;
  std::vector<std::string> environment = plan.environment;
  const auto argv = Words(arguments);
  const auto envp = Words(environment);
  ::execve(argv.front(), argv.data(), envp.data());
  GiveUp(plan.command.front() + ": " + std::strerror(errno));
}

}  // namespace mlprof::agent
