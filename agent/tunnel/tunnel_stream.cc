#include "agent/tunnel/tunnel_stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace mlprof::agent {

namespace protocol = agent_protocol;

TunnelStream::TunnelStream(EventLoop& loop, ControllerLink& link, std::uint32_t id, int port,
                           bool may_read)
    : loop_(loop), link_(link), id_(id), port_(port), may_read_(may_read) {}

TunnelStream::~TunnelStream() {
  if (watched_ != 0) loop_.Unwatch(socket_.get(), this);
}

void TunnelStream::Connect() { BeginConnecting(Loopback::kIpv4); }

void TunnelStream::BeginConnecting(Loopback address) {
  if (watched_ != 0) loop_.Unwatch(socket_.get(), this);
  watched_ = 0;
  address_ = address;
  socket_ = BeginConnect(address, port_);
  if (!socket_) return OnConnectFailed(errno);
  Watch();
}

void TunnelStream::OnConnectFailed(int error) {
  if (address_ == Loopback::kIpv6) return Close(Reason::kRefused);
  if (error == ECONNREFUSED) return BeginConnecting(Loopback::kIpv6);
  Close(Reason::kFailed, FromErrno(error, "connecting to port " + std::to_string(port_)).message());
}

void TunnelStream::OnConnected() {
  if (const int error = FailedConnect(socket_.get()); error != 0) return OnConnectFailed(error);
  connected_ = true;
  receive_ = protocol::ReceiveWindow(protocol::kForwardWindow);
  link_.Send(protocol::ForwardCredit{id_, protocol::kForwardWindow});
  Watch();
}

Status TunnelStream::OnData(std::string_view bytes) {
  if (controller_ended_ || !receive_.Accept(bytes.size())) {
    return Fail(InvalidArgument("forwarded bytes without credit"));
  }
  if (closed_) return {};
  if (broken_) {
    Grant(bytes.size());
    return {};
  }
  to_model_.append(bytes);
  Write();
  return {};
}

Status TunnelStream::OnCredit(std::uint32_t bytes) {
  if (!send_.Grant(bytes)) return Fail(InvalidArgument("more credit than a window"));
  if (!closed_) Watch();
  return {};
}

Status TunnelStream::OnEnd() {
  if (!connected_ || std::exchange(controller_ended_, true)) {
    return Fail(InvalidArgument("an end of a stream that is not open"));
  }
  if (!closed_) Write();
  return {};
}

void TunnelStream::SetReading(bool may_read) {
  may_read_ = may_read;
  if (!closed_) Watch();
}

void TunnelStream::OnModelEnded() {
  while (connected_ && !closed_ && !read_ended_ && send_.credit() > 0 && ReadPiece() > 0) continue;
  Close(Reason::kModelEnded);
}

void TunnelStream::OnEvents(std::uint32_t events) {
  if (!connected_) return OnConnected();
  constexpr std::uint32_t kGone = EPOLLHUP | EPOLLERR;
  if ((events & (EPOLLIN | kGone)) != 0 && WantsToRead()) Read();
  if (!closed_ && (events & (EPOLLOUT | kGone)) != 0 && !to_model_.empty()) Write();
}

bool TunnelStream::WantsToRead() const { return !read_ended_ && may_read_ && send_.credit() > 0; }

ssize_t TunnelStream::ReadPiece() {
  static std::array<char, protocol::kMaxForwardData> buffer;
  const std::size_t most = std::min(buffer.size(), send_.credit());
  ssize_t n = -1;
  do {
    n = ::recv(socket_.get(), buffer.data(), most, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return n;
  const auto size = static_cast<std::size_t>(n);
  send_.Take(size);
  link_.Send(protocol::ForwardData{id_, {buffer.data(), size}});
  return n;
}

void TunnelStream::Read() {
  while (WantsToRead() && link_.HasRoom()) {
    const ssize_t n = ReadPiece();
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) return OnReadEnd(n == 0);
  }
  Watch();
}

void TunnelStream::OnReadEnd(bool orderly) {
  if (!orderly || broken_) return Close(Reason::kReset);
  read_ended_ = true;
  link_.Send(protocol::ForwardEnd{id_});
  FinishOrWatch();
}

void TunnelStream::Write() {
  while (written_ < to_model_.size()) {
    const ssize_t n = ::send(socket_.get(), to_model_.data() + written_,
                             to_model_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      written_ += static_cast<std::size_t>(n);
      Grant(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      return OnWriteBroken();
    }
  }
  to_model_.erase(0, std::exchange(written_, 0));
  if (controller_ended_ && to_model_.empty()) ::shutdown(socket_.get(), SHUT_WR);
  FinishOrWatch();
}

// A response may be there all the same, from a server that did not read the whole request.
void TunnelStream::OnWriteBroken() {
  broken_ = true;
  Grant(to_model_.size() - written_);
  to_model_.clear();
  written_ = 0;
  if (read_ended_) return Close(Reason::kReset);
  Watch();
}

void TunnelStream::Grant(std::size_t taken) {
  if (const auto bytes = receive_.Consume(taken); bytes > 0) {
    link_.Send(protocol::ForwardCredit{id_, bytes});
  }
}

void TunnelStream::FinishOrWatch() {
  if (read_ended_ && controller_ended_ && to_model_.empty()) return Close(Reason::kFinished);
  Watch();
}

// One that waits for nothing is not watched: its having broken would be told again and again.
void TunnelStream::Watch() {
  std::uint32_t wanted = 0;
  if (!connected_ || !to_model_.empty()) wanted |= EPOLLOUT;
  if (connected_ && WantsToRead()) wanted |= EPOLLIN;
  if (wanted == watched_) return;
  const std::uint32_t before = std::exchange(watched_, wanted);
  if (wanted == 0) return loop_.Unwatch(socket_.get(), this);
  if (before != 0) return loop_.Rewatch(socket_.get(), wanted, this);
  const Status watching = loop_.Watch(socket_.get(), wanted, this);
  if (watching) return;
  watched_ = 0;
  Close(Reason::kFailed, watching.error().message());
}

void TunnelStream::Close(Reason reason, std::string detail) {
  if (std::exchange(closed_, true)) return;
  link_.Send(protocol::ForwardClose{id_, reason, std::move(detail)});
  if (watched_ != 0) loop_.Unwatch(socket_.get(), this);
  watched_ = 0;
  socket_.Reset();
  to_model_ = {};
}

}  // namespace mlprof::agent
