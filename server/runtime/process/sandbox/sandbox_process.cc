#include "server/runtime/process/sandbox/sandbox_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "common/log/log.h"
#include "common/os/read_text.h"
#include "common/os/start_thread.h"

namespace mlprof::server::process {
namespace {

constexpr int kFirstFreeFd = 10;  // above those that a sandbox is started with
constexpr std::chrono::milliseconds kLookSlice{100};
constexpr std::chrono::seconds kDestroyLimit{10};
constexpr int kLastReads = 64;                  // of 16 KiB at most; a pipe holds 64 KiB
constexpr std::chrono::seconds kPlanLimit{10};  // for a keeper that does not read

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// Out of the way of the numbers that a sandbox's own descriptors get.
UniqueFd Raised(UniqueFd fd) { return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstFreeFd)); }

Result<Pipe> OpenPipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Fail(FromErrno(errno, "cannot open a pipe"));
  Pipe pipe{Raised(UniqueFd(ends[0])), Raised(UniqueFd(ends[1]))};
  if (!pipe.read || !pipe.write) return Fail(FromErrno(errno, "cannot open a pipe"));
  return pipe;
}

// A socket rather than a pipe: writing to one whose reader has ended can be told to raise no
// signal.
Result<Pipe> OpenPlanPipe() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Fail(FromErrno(errno, "cannot open a pair of sockets"));
  }
  Pipe pipe{Raised(UniqueFd(ends[0])), Raised(UniqueFd(ends[1]))};
  if (!pipe.read || !pipe.write) return Fail(FromErrno(errno, "cannot open a pair of sockets"));
  const timeval limit{kPlanLimit.count(), 0};
  ::setsockopt(pipe.write.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return pipe;
}

// Signals as a program expects them: the server blocks some, and ignores others.
class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t usual;
    ::sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGCHLD, SIGINT, SIGTERM, SIGHUP}) {
      ::sigaddset(&usual, signal);
    }
    ::posix_spawnattr_setsigdefault(&attributes_, &usual);
    // A session of its own: the terminal's Ctrl-C does not reach it.
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void Give(const UniqueFd& fd, int as) {
    if (fd) ::posix_spawn_file_actions_adddup2(&actions_, fd.get(), as);
  }
  Result<pid_t> Spawn(const std::filesystem::path& program) {
    std::string path = program.string();
    std::string option = "--sandbox";
    const std::array<char*, 3> argv = {path.data(), option.data(), nullptr};
    const std::array<char*, 1> envp = {nullptr};
    pid_t pid = 0;
    const int error =
        ::posix_spawn(&pid, path.c_str(), &actions_, &attributes_, argv.data(), envp.data());
    if (error == 0) return pid;
    if (error == EAGAIN || error == ENOMEM) {
      return Fail(ErrorCode::kResourceExhausted, "no process can be had for a sandbox");
    }
    return Fail(FromErrno(error, "cannot start " + path));
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fail(FromErrno(errno, "cannot tell a sandbox its plan"));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

void LogTail::Add(std::string_view text) {
  const std::lock_guard lock(mutex_);
  text_ += text;
  // Cut rarely, so that each byte is moved once on average.
  if (text_.size() > 2 * most_) text_.erase(0, text_.size() - most_);
}

std::string LogTail::Last(Bytes max) const {
  const std::lock_guard lock(mutex_);
  const std::size_t kept = std::min(
      {text_.size(), most_, static_cast<std::size_t>(std::max<std::int64_t>(0, max.count()))});
  return text_.substr(text_.size() - kept);
}

Result<std::unique_ptr<SandboxProcess>> SandboxProcess::Start(const std::filesystem::path& agent,
                                                              const SandboxPlan& plan,
                                                              UniqueFd link, OnOutput on_output) {
  MLPROF_LET(plan_pipe, OpenPlanPipe());
  MLPROF_LET(output, OpenPipe());
  MLPROF_LET(report, OpenPipe());
  UniqueFd raised_link;
  if (link) raised_link = Raised(std::move(link));
  std::unique_ptr<SandboxProcess> process(new SandboxProcess());
  {
    SpawnSettings settings;
    settings.Give(plan_pipe.read, kSandboxPlanFd);
    settings.Give(output.write, STDOUT_FILENO);
    settings.Give(output.write, STDERR_FILENO);
    settings.Give(raised_link, kSandboxLinkFd);
    settings.Give(report.write, kSandboxReportFd);
    MLPROF_LET(pid, settings.Spawn(agent));
    process->keeper_ = pid;
  }
  plan_pipe.read.Reset();
  output.write.Reset();
  report.write.Reset();
  raised_link.Reset();
  process->plan_ = std::move(plan_pipe.write);
  process->output_ = std::move(output.read);
  process->report_ = std::move(report.read);
  ::fcntl(process->report_.get(), F_SETFL, O_NONBLOCK);
  auto reader = StartThread("sandbox output",
                            [raw = process.get(), on_output = std::move(on_output)](
                                const std::stop_token& stop) { raw->ReadOutput(stop, on_output); });
  if (!reader) return Fail(reader.error());
  process->reader_ = *std::move(reader);
  MLPROF_TRY(WriteAll(process->plan_.get(), EncodeSandboxPlan(plan)));
  return process;
}

std::filesystem::path SandboxProcess::Root() const {
  const std::string keeper = std::to_string(keeper_);
  const std::string children = ReadText("/proc/" + keeper + "/task/" + keeper + "/children");
  const std::string first = children.substr(0, children.find(' '));
  return first.empty() ? "" : "/proc/" + first + "/root";
}

SandboxProcess::~SandboxProcess() { static_cast<void>(End(Deadline::After(kDestroyLimit))); }

// Told to stop, it takes what is in the pipe already, and no more than a pipe holds: a stranger may
// hold the other end.
void SandboxProcess::ReadOutput(const std::stop_token& stop, const OnOutput& on_output) {
  std::array<char, 16384> piece{};
  for (int last_reads = 0; last_reads < kLastReads;) {
    const bool last = stop.stop_requested();
    pollfd readable{output_.get(), POLLIN, 0};
    const int ready = ::poll(&readable, 1, last ? 0 : static_cast<int>(kLookSlice.count()));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0 && last) return;
    if (ready <= 0) continue;
    if (last) ++last_reads;
    const ssize_t n = ::read(output_.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    const std::string_view text(piece.data(), static_cast<std::size_t>(n));
    log_.Add(text);
    if (on_output) on_output(text);
  }
}

std::optional<SandboxEnd> SandboxProcess::Ended() {
  const std::lock_guard lock(mutex_);
  if (end_) return end_;
  std::array<char, 64> piece{};
  const ssize_t n = report_ ? ::read(report_.get(), piece.data(), piece.size()) : -1;
  if (n > 0) told_.append(piece.data(), static_cast<std::size_t>(n));
  end_ = DecodeSandboxEnd(told_);
  // A keeper that ends without a word could not make the sandbox, or was killed.
  if (!end_ && n == 0) end_ = SandboxEnd{125, 0};
  return end_;
}

Result<SandboxEnd> SandboxProcess::AwaitEnd(const Patience& patience) {
  for (;;) {
    if (auto end = Ended()) return *end;
    if (patience.stop.stop_requested()) return Fail(Cancelled("stopped"));
    if (patience.deadline.Passed()) return Fail(DeadlineExceeded("it took too long"));
    pollfd told{report_.get(), POLLIN, 0};
    const auto slice = std::min(patience.deadline.LeftMs(), kLookSlice);
    ::poll(&told, 1, static_cast<int>(slice.count()));
  }
}

Status SandboxProcess::End(Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(over_, true)) return {};
  }
  plan_.Reset();
  bool ended = keeper_ <= 0;
  // The keeper ends within milliseconds; it is looked for more rarely as time goes by.
  for (int pause_ms = 1; !ended; pause_ms = std::min(2 * pause_ms, 50)) {
    ended = ::waitpid(keeper_, nullptr, WNOHANG) != 0;
    if (ended || deadline.Passed()) break;
    ::poll(nullptr, 0, pause_ms);
  }
  if (!ended) {
    ::kill(keeper_, SIGKILL);
    ::waitpid(keeper_, nullptr, 0);
  }
  reader_.request_stop();
  if (reader_.joinable()) reader_.join();
  if (ended) return {};
  return Fail(DeadlineExceeded("a sandbox did not end in time; its keeper was killed"));
}

}  // namespace mlprof::server::process
