#include "client/cli/visiting_server.h"

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>
#include <utility>

#include "client/cli/private_server.h"
#include "client/cli/text_file.h"

namespace mlprof::client::cli {
namespace {

constexpr std::chrono::seconds kEndsWithin{20};  // twice what a server's stop may take
constexpr std::chrono::milliseconds kLookPause{20};

bool Ended(pid_t process) { return waitpid(process, nullptr, WNOHANG) != 0; }

Error InUse(const std::filesystem::path& data_dir) {
  std::string pid = ReadTextFile(data_dir / "lock").value_or("");
  while (pid.ends_with('\n')) pid.pop_back();
  return Unavailable("an mlprof-server" + (pid.empty() ? "" : " (process " + pid + ")") +
                     " runs on " + data_dir.string() +
                     ": name it in place of the directory, --server http://127.0.0.1:8080 unless "
                     "it listens elsewhere");
}

}  // namespace

Result<VisitingServer> VisitingServer::Start(const std::filesystem::path& data_dir,
                                             const Surroundings& surroundings,
                                             const Deadline& deadline) {
  MLPROF_TRY(MakeDataFolder(data_dir));
  MLPROF_LET(use, FileLock::Take(data_dir / "users.lock", LockKind::kShared, deadline));
  MLPROF_LET(start, FileLock::Take(data_dir / "start.lock", LockKind::kExclusive, deadline));
  VisitingServer server(std::move(use), std::move(start));
  if (auto running = FindPrivateServer(data_dir, surroundings)) {
    server.url_ = std::move(running->url);
    server.token_ = std::move(running->token);
    return server;
  }
  auto started = StartServerOn(data_dir, {true, ""}, surroundings, deadline);
  if (!started) return Fail(IsServed(data_dir) ? InUse(data_dir) : started.error());
  server.url_ = std::move(started->url);
  server.token_ = std::move(started->token);
  server.process_ = started->pid;
  return server;
}

VisitingServer::VisitingServer(VisitingServer&& other) noexcept
    : use_(std::move(other.use_)),
      start_(std::move(other.start_)),
      url_(std::move(other.url_)),
      token_(std::move(other.token_)),
      process_(std::exchange(other.process_, 0)) {}

VisitingServer::~VisitingServer() {
  if (process_ == 0) return;
  kill(process_, SIGTERM);
  const Deadline deadline = Deadline::After(kEndsWithin);
  while (!Ended(process_)) {
    if (deadline.Passed()) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
      return;
    }
    std::this_thread::sleep_for(kLookPause);
  }
}

}  // namespace mlprof::client::cli
