#include "server/runtime/forward/forwarded_port.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "common/agent_protocol/forward.h"
#include "common/log/log.h"
#include "common/os/start_thread.h"
#include "server/runtime/forward/carry_client.h"
#include "server/runtime/unix_listener.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::milliseconds kAcceptLook{250};
constexpr std::chrono::seconds kDialLimit{5};

// However a connection's thread ends, the accepting one collects it.
class EndNote {
 public:
  explicit EndNote(std::atomic<bool>& over) : over_(over) {}
  ~EndNote() { over_ = true; }
  EndNote(const EndNote&) = delete;
  EndNote& operator=(const EndNote&) = delete;

 private:
  std::atomic<bool>& over_;
};

}  // namespace

ForwardedPort::ForwardedPort(std::filesystem::path folder, Dial dial,
                             std::chrono::milliseconds idle)
    : folder_(std::move(folder)), socket_(folder_ / "s"), dial_(std::move(dial)), idle_(idle) {}

Result<std::unique_ptr<ForwardedPort>> ForwardedPort::Start(const std::filesystem::path& parent,
                                                            Dial dial,
                                                            std::chrono::milliseconds idle) {
  std::string folder = (parent / "port-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return Fail(FromErrno(errno, "cannot make a folder in " + parent.string()));
  }
  std::unique_ptr<ForwardedPort> port(new ForwardedPort(folder, std::move(dial), idle));
  MLPROF_TRY(port->Open());
  return port;
}

Status ForwardedPort::Open() {
  // Anybody may open the socket, but nobody else the folder it is in.
  MLPROF_LET(listener, ListenAt(socket_, static_cast<int>(agent_protocol::kMaxForwards)));
  listener_ = std::move(listener);
  MLPROF_LET(accepting,
             StartThread("forwarded port", [this](const std::stop_token& stop) { Accept(stop); }));
  accepting_ = std::move(accepting);
  return {};
}

ForwardedPort::~ForwardedPort() {
  accepting_.request_stop();
  ::shutdown(listener_.get(), SHUT_RDWR);  // wakes the accepting thread
  if (accepting_.joinable()) accepting_.join();
  // All are told before the first is waited for.
  for (Connection& connection : connections_) connection.thread.request_stop();
  connections_.clear();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::optional<Error> ForwardedPort::last_failure() const {
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

void ForwardedPort::NoteFailure(const Error& error) {
  const std::lock_guard lock(mutex_);
  last_failure_ = error;
}

void ForwardedPort::Accept(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    connections_.remove_if([](const Connection& connection) { return connection.over.load(); });
    const bool full = connections_.size() >= agent_protocol::kMaxForwards;
    pollfd waiting{full ? -1 : listener_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(kAcceptLook.count())) <= 0) continue;
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client) {
      Serve(std::move(client));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      // The connection stays in the queue, and would be found there again and again.
      std::this_thread::sleep_for(kAcceptLook);
    }
  }
}

void ForwardedPort::Serve(UniqueFd client) {
  Connection& connection = connections_.emplace_back();
  // Copied by whoever holds the function, which a descriptor cannot be.
  auto held = std::make_shared<UniqueFd>(std::move(client));
  auto thread = StartThread("forwarded port's connection",
                            [this, held, &connection](const std::stop_token& stop) {
                              const EndNote note(connection.over);
                              Carry(held->get(), stop);
                              held->Reset();
                            });
  if (thread) {
    connection.thread = *std::move(thread);
    return;
  }
  connections_.pop_back();
  LogWarn("a connection to a forwarded port is dropped", {{"why", thread.error().message()}});
  NoteFailure(thread.error());
}

void ForwardedPort::Carry(int client, const std::stop_token& stop) {
  const auto stream = dial_(Deadline::After(kDialLimit));
  if (!stream) return NoteFailure(stream.error());
  CarryClient(client, **stream, idle_, stop);
}

}  // namespace mlprof::server
