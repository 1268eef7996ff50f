#include "client/cli/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <vector>

#include "client/cli/text_file.h"

namespace mlprof::client::cli {
namespace {

constexpr std::string_view kListening = "listening on ";
constexpr std::size_t kLastLogBytes = 1200;

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void BecomeServer(const char* const* arguments, int out, int log) {
  setsid();  // so that the terminal's Ctrl-C does not reach it
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(arguments[0], const_cast<char* const*>(arguments));
  constexpr std::string_view kText = "mlprof-server could not be executed\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kText.data(), kText.size());
  _exit(127);
}

// The text after "listening on ", once that line is complete.
std::optional<std::string> UrlIn(const std::string& output) {
  const std::size_t start = output.find(kListening);
  if (start == std::string::npos) return std::nullopt;
  const std::size_t end = output.find('\n', start);
  if (end == std::string::npos) return std::nullopt;
  return output.substr(start + kListening.size(), end - start - kListening.size());
}

std::optional<std::string> AwaitUrl(int out, const Deadline& deadline) {
  std::string output;
  std::array<char, 512> piece{};
  while (!deadline.Passed()) {
    pollfd ready{out, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(deadline.LeftMs().count())) <= 0) continue;
    const ssize_t count = read(out, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    output.append(piece.data(), static_cast<std::size_t>(count));
    if (auto url = UrlIn(output)) return url;
  }
  return std::nullopt;
}

std::string LastLinesOf(const std::filesystem::path& log, std::size_t from) {
  const auto text = ReadTextFile(log);
  if (!text || text->size() <= from) return "";
  std::string last = text->substr(from);
  if (last.size() > kLastLogBytes) last = last.substr(last.size() - kLastLogBytes);
  while (last.ends_with('\n')) last.pop_back();
  return ":\n" + last;
}

}  // namespace

Result<ServerProcess> StartServerProcess(const ServerProcessOptions& options,
                                         const Deadline& deadline) {
  const int log = open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) return Fail(FromErrno(errno, "cannot write " + options.log.string()));
  const auto log_start = static_cast<std::size_t>(lseek(log, 0, SEEK_END));
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    close(log);
    return Fail(FromErrno(errno, "pipe"));
  }
  std::vector<const char*> arguments = {options.program.c_str(),
                                        "--listen",
                                        "127.0.0.1:0",
                                        "--data-dir",
                                        options.data_dir.c_str(),
                                        "--exit-when-unused",
                                        options.users_lock.c_str(),
                                        "--require-token",
                                        "--token-file",
                                        options.token_file.c_str()};
  if (options.leave_profiles) arguments.push_back("--leave-profiles");
  if (!options.runtime.empty()) {
    arguments.insert(arguments.end(), {"--runtime", options.runtime.c_str()});
  }
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) BecomeServer(arguments.data(), pipe_ends[1], log);
  const int fork_errno = errno;
  close(log);
  close(pipe_ends[1]);
  std::optional<std::string> url;
  if (pid > 0) url = AwaitUrl(pipe_ends[0], deadline);
  close(pipe_ends[0]);
  if (pid < 0) return Fail(FromErrno(fork_errno, "cannot start " + options.program.string()));
  if (url) return ServerProcess{pid, std::move(*url)};
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return Fail(Unavailable("mlprof-server did not start (log: " + options.log.string() + ")" +
                          LastLinesOf(options.log, log_start)));
}

}  // namespace mlprof::client::cli
