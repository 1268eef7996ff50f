#include "common/http/listener.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "common/log/log.h"
#include "common/os/until_memory.h"

namespace mlprof {
namespace {

using boost::system::error_code;
using net::ip::tcp;

// The pause where there is no memory, or neither a descriptor nor the spare one: trying again at
// once would only burn the CPU.
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::seconds kWarnPause{10};
// After so many new clients the connected ones get their turn.
constexpr int kAcceptedAtOnce = 32;

void CloseOnExec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

}  // namespace

Listener::Listener(net::io_context& io, std::shared_ptr<const TlsContext> context,
                   ListenerHooks hooks)
    : io_(io), acceptor_(io), pause_(io), context_(std::move(context)), hooks_(std::move(hooks)) {}

Status Listener::Open(const std::string& address, unsigned short port) {
  error_code error;
  const auto ip = net::ip::make_address(address, error);
  if (error) return Fail(InvalidArgument("'" + address + "' is not an IP address"));
  const tcp::endpoint endpoint(ip, port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
  if (!error) acceptor_.non_blocking(true, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (error) {
    return Fail(Unavailable("cannot listen on " + address + ":" + std::to_string(port) + ": " +
                            error.message()));
  }
  CloseOnExec(acceptor_.native_handle());
  return {};
}

// Without these two nobody would be accepted any more.
void Listener::AwaitClients() {
  UntilThereIsMemory([this] {
    acceptor_.async_wait(tcp::acceptor::wait_read, [this](error_code error) {
      if (!acceptor_.is_open()) return;
      error ? Pause() : TakeClients();
    });
  });
}

void Listener::Pause() {
  UntilThereIsMemory([this] {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](error_code cancelled) {
      if (!cancelled && acceptor_.is_open()) AwaitClients();
    });
  });
}

void Listener::TakeClients() {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    switch (TakeOne()) {
      case Turn::kAnother: continue;
      case Turn::kNobody: return AwaitClients();
      case Turn::kPause: return Pause();
    }
  }
  AwaitClients();
}

Listener::Turn Listener::TakeOne() {
  if (Accept()) return Turn::kAnother;
  switch (errno) {
    case EAGAIN: return Turn::kNobody;
    case EMFILE:
    case ENFILE: return OnNoDescriptor(errno);
    case ENOBUFS:
    case ENOMEM: Warn(errno); return Turn::kPause;
    case EBADF:
    case EINVAL: return Turn::kPause;
    default: return Turn::kAnother;  // that client has gone, or its network has
  }
}

bool Listener::Accept() {
  tcp::endpoint peer;
  auto size = static_cast<socklen_t>(peer.capacity());
  const int descriptor =
      ::accept4(acceptor_.native_handle(), peer.data(), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) return false;
  peer.resize(size);
  Hand(descriptor, peer);
  return true;
}

Listener::Turn Listener::OnNoDescriptor(int error) {
  // accept() fails for want of a descriptor even if nobody waits: so it is asked whether anybody
  // does.
  pollfd waiting{acceptor_.native_handle(), POLLIN, 0};
  if (::poll(&waiting, 1, 0) <= 0) return Turn::kNobody;
  Warn(error);
  // The descriptor that one connection gives back need not be enough, if the limit was lowered
  // meanwhile: then Accept() fails once more.
  if (hooks_.make_room() && Accept()) return Turn::kAnother;
  const std::string_view words = context_ ? std::string_view() : hooks_.no_descriptor;
  if (!spare_.TurnAway(acceptor_.native_handle(), words)) return Turn::kPause;
  hooks_.turned_away();
  return Turn::kAnother;
}

void Listener::Hand(int descriptor, const tcp::endpoint& peer) {
  UniqueFd owned(descriptor);
  try {
    tcp::socket socket(io_);
    error_code error;
    socket.assign(acceptor_.local_endpoint().protocol(), descriptor, error);
    if (error) return LogWarn("cannot watch a connection", {{"error", error.message()}});
    owned.Release();
    hooks_.accepted(std::move(socket), peer.address(), context_.get());
  } catch (...) {
    LogThrown("a connection could not be taken", "http");
  }
}

void Listener::Warn(int error) {
  const auto now = std::chrono::steady_clock::now();
  if (warned_ && now - *warned_ < kWarnPause) return;
  warned_ = now;
  LogWarn("cannot accept a connection", {{"error", std::generic_category().message(error)}});
}

void Listener::Close() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

void SpareDescriptor::Keep() {
  if (!spare_) spare_.Reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// The client's socket, shut down, becomes the next spare descriptor. Closed first and opened anew
// it might go to another thread in between.
bool SpareDescriptor::TurnAway(int listening, std::string_view words) {
  spare_.Reset();
  spare_.Reset(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool accepted = static_cast<bool>(spare_);
  if (accepted && !words.empty()) {
    [[maybe_unused]] const ssize_t ignored =
        ::send(spare_.get(), words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  if (accepted) ::shutdown(spare_.get(), SHUT_RDWR);
  Keep();
  return accepted;
}

}  // namespace mlprof
