#include "server/runtime/environment/run_script.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "common/os/descriptor_limit.h"
#include "common/os/unique_fd.h"
#include "common/time/deadline.h"

extern char** environ;

namespace mlprof::server::environment {
namespace {

constexpr std::chrono::milliseconds kLookForStop{200};
constexpr std::chrono::milliseconds kLookForItsEnd{20};
// A script that is told to end removes what it made, where that is soon done.
constexpr std::chrono::milliseconds kOwnEnd{700};

// The server has raised its own limit of open files, which some programs cannot live with: the
// script gets the one the server was started with.
std::string WithTheStartsLimits(const std::string& text) {
  return "ulimit -S -n " + std::to_string(DescriptorLimitAtStart()) + "\n" + text;
}

// Its own process group, so that what it starts can be ended with it.
Result<pid_t> Spawn(const std::vector<std::string>& words, int output) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == EAGAIN) {
    return Fail(ErrorCode::kResourceExhausted,
                "cannot start " + words.front() +
                    ": the system's limit of threads is reached (ulimit -u, pids.max)");
  }
  if (error != 0) return Fail(FromErrno(error, "cannot start " + words.front()));
  return pid;
}

Status GoOn(const Patience& patience) {
  if (patience.stop.stop_requested()) return Fail(Cancelled("stopped"));
  if (patience.deadline.Passed()) return Fail(DeadlineExceeded("it took too long"));
  return {};
}

// Reads until the end of the output; why it did not get there, else.
Status ReadAll(int fd, const std::function<void(std::string_view)>& on_output,
               const Patience& patience) {
  char buffer[16384];
  while (true) {
    MLPROF_TRY(GoOn(patience));
    pollfd waiting{fd, POLLIN, 0};
    const auto slice = std::min(patience.deadline.LeftMs(), kLookForStop);
    if (::poll(&waiting, 1, static_cast<int>(slice.count())) <= 0) continue;
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count == 0) return {};
    if (count > 0) {
      on_output(std::string_view(buffer, static_cast<std::size_t>(count)));
    } else if (errno != EINTR) {
      return Fail(FromErrno(errno, "cannot read a script's output"));
    }
  }
}

// Does not reap the process: as a zombie it keeps its number, so that the number of its group
// cannot become another's before the group is killed.
bool HasEnded(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

// A script may close its output long before it ends.
Status AwaitEnd(pid_t pid, const Patience& patience) {
  while (!HasEnded(pid)) {
    MLPROF_TRY(GoOn(patience));
    ::poll(nullptr, 0, static_cast<int>(kLookForItsEnd.count()));
  }
  return {};
}

// Ends whatever is left of the script's group; its status.
int EndGroup(pid_t pid) {
  if (!HasEnded(pid)) {
    ::kill(-pid, SIGTERM);
    (void)AwaitEnd(pid, Deadline::After(kOwnEnd));
  }
  ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<int> RunProgram(const std::vector<std::string>& words,
                       const std::function<void(std::string_view)>& on_output, std::stop_token stop,
                       Deadline deadline) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Fail(FromErrno(errno, "cannot make a pipe"));
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  const Result<pid_t> pid = Spawn(words, input.get());
  input.Reset();
  if (!pid) return Fail(pid.error());
  const Patience patience(deadline, std::move(stop));
  Status ended = ReadAll(output.get(), on_output, patience);
  if (ended) ended = AwaitEnd(*pid, patience);
  const int status = EndGroup(*pid);
  if (!ended) return Fail(ended.error());
  return status;
}

Result<int> RunScript(const std::string& text, const std::string& name,
                      const std::vector<std::string>& arguments,
                      const std::function<void(std::string_view)>& on_output, std::stop_token stop,
                      Deadline deadline) {
  std::vector<std::string> words = {"/bin/sh", "-c", WithTheStartsLimits(text), name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return RunProgram(words, on_output, std::move(stop), deadline);
}

}  // namespace mlprof::server::environment
