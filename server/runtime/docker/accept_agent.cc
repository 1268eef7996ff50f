#include "server/runtime/docker/accept_agent.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "server/runtime/unix_listener.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::milliseconds kLookForAgent{250};

// Which host uid is the container's root: 0, unless the engine remaps users.
uid_t RootOf(int pid) {
  std::ifstream map("/proc/" + std::to_string(pid) + "/uid_map");
  unsigned long inside = 0;
  unsigned long outside = 0;
  unsigned long count = 0;
  while (map >> inside >> outside >> count) {
    if (inside == 0) return static_cast<uid_t>(outside);
  }
  return 0;
}

Result<bool> IsTheAgent(int fd, int pid) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return Fail(FromErrno(errno, "cannot tell who connected"));
  }
  if (peer.pid == 0) {
    return Fail(Error(
        ErrorCode::kNotAvailable,
        "the container's processes are not visible from here, so its agent cannot be told from a "
        "stranger; run mlprof-server in the host's pid namespace (docker run --pid=host)"));
  }
  return peer.pid == pid && peer.uid == RootOf(pid);
}

}  // namespace

AgentSocket::AgentSocket(std::filesystem::path folder, UniqueFd listener)
    : folder_(std::move(folder)), listener_(std::move(listener)) {}

AgentSocket::~AgentSocket() {
  if (listener_) Close();
}

void AgentSocket::Close() {
  listener_.Reset();
  std::error_code ignored;
  std::filesystem::remove(path(), ignored);
  std::filesystem::remove(folder_, ignored);
}

Result<AgentSocket> AgentSocket::Listen(const std::filesystem::path& folder) {
  constexpr int kBacklog = 4;
  MLPROF_TRY(MakeSocketFolder(folder));
  AgentSocket socket(folder, UniqueFd());
  Result<UniqueFd> listener = ListenAt(socket.path(), kBacklog);
  if (!listener) {
    socket.Close();
    return Fail(listener.error());
  }
  socket.listener_ = *std::move(listener);
  return socket;
}

Result<UniqueFd> AgentSocket::Accept(int pid, const std::function<Status()>& still_running,
                                     std::stop_token stop, Deadline deadline) {
  while (!stop.stop_requested()) {
    pollfd waiting{listener_.get(), POLLIN, 0};
    const auto slice = std::min<std::chrono::milliseconds>(deadline.LeftMs(), kLookForAgent);
    const int ready = ::poll(&waiting, 1, static_cast<int>(slice.count()));
    if (ready < 0 && errno != EINTR) return Fail(FromErrno(errno, "cannot wait for the agent"));
    if (ready <= 0) {
      if (deadline.Passed()) return Fail(DeadlineExceeded("the container's agent never connected"));
      MLPROF_TRY(still_running());
      continue;
    }
    UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) {
      if (errno == EINTR || errno == EAGAIN || errno == ECONNABORTED) continue;
      return Fail(FromErrno(errno, "cannot accept the agent's connection"));
    }
    const Result<bool> agent = IsTheAgent(connection.get(), pid);
    if (!agent) return Fail(agent.error());
    if (!*agent) continue;
    Close();
    return connection;
  }
  return Fail(Cancelled("stopped while waiting for the agent"));
}

Result<std::filesystem::path> SocketRoot(const std::filesystem::path& data_dir,
                                         const std::string& instance_id) {
  constexpr std::size_t kBelow = sizeof("/0123456789abcdef/agent.sock") - 1;
  const std::string name = "mlprof-" + instance_id.substr(0, 12);
  std::vector<std::filesystem::path> roots = {data_dir / "run"};
  if (const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR")) {
    if (*runtime_dir == '/') roots.push_back(std::filesystem::path(runtime_dir) / name);
  }
  roots.push_back(std::filesystem::path("/run") / name);
  for (const auto& root : roots) {
    if (root.string().size() + kBelow > LongestSocketPath()) continue;
    std::error_code error;
    std::filesystem::create_directories(root, error);
    if (error) continue;
    ::chmod(root.c_str(), 0700);
    return root;
  }
  return Fail(InvalidArgument("the data directory's path " + data_dir.string() +
                              " is too long for a socket below it, and neither $XDG_RUNTIME_DIR "
                              "nor /run can take one; choose a shorter --data-dir"));
}

std::string ShortName(const std::string& container_name) {
  // FNV-1a: short names need to differ, not to be secret.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : container_name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace mlprof::server::docker
