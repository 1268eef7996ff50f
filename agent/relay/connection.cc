#include "agent/relay/connection.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace mlprof::agent {

using agent_protocol::RowFailure;

namespace {

// A buffer that grew beyond this for a large row is given back: it is memory of the container.
constexpr std::size_t kKeptRequest = 64u << 10;

std::array<char, 65536>& ReadBuffer() {
  static std::array<char, 65536> buffer;
  return buffer;
}

}  // namespace

Connection::Connection(EventLoop& loop, int port, ConnectionOwner& owner, std::size_t slot)
    : loop_(loop), port_(port), owner_(owner), slot_(slot) {}

Connection::~Connection() { Close(); }

void Connection::Close() {
  if (socket_) {
    loop_.Unwatch(socket_.get(), this);
    socket_.Reset();
  }
  state_ = State::kClosed;
  stood_idle_ = false;
  holding_ = false;
  watching_writes_ = false;
}

bool Connection::WorthRetrying() const {
  return kept_ && failure_ == RowFailure::kReset && times_.first_byte == Clock::time_point{};
}

void Connection::Send(const RequestHead& head, std::string_view body) {
  if (request_.capacity() > kKeptRequest) request_ = {};
  request_.clear();
  head.AppendTo(request_, body.size());
  request_.append(body);
  head_request_ = head.is_head_request();
  Resend();
}

void Connection::Hold() {
  if (state_ == State::kClosed) holding_ = Connect();
}

void Connection::Resend() {
  written_ = 0;
  broken_ = false;
  times_ = {};
  failure_ = RowFailure::kNone;
  parser_.Reset(head_request_);
  kept_ = stood_idle_;
  if (state_ == State::kClosed) {
    if (!Connect()) EndExchange(RowFailure::kConnect);
    return;
  }
  if (state_ == State::kConnecting) {
    holding_ = false;
    return;
  }
  if (!loop_.SeenAllReady() && UnaskedBytesWait()) return EndExchange(RowFailure::kUnasked);
  state_ = State::kExchanging;
  Write();
}

bool Connection::Connect() {
  socket_.Reset(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) return false;
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int result =
      ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  if (result < 0 && errno != EINPROGRESS) return false;
  if (!loop_.Watch(socket_.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP, this)) return false;
  watching_writes_ = true;
  state_ = State::kConnecting;
  return true;
}

bool Connection::UnaskedBytesWait() {
  char byte = 0;
  return ::recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void Connection::OnEvents(std::uint32_t events) {
  if (state_ == State::kConnecting) return holding_ ? OnHeld() : OnConnected();
  if (state_ == State::kIdle) return ReadIdle(events);
  if (state_ != State::kExchanging) return;
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) Read();
  if (state_ == State::kExchanging && (events & EPOLLOUT) != 0 && !broken_) {
    Write();
  }
}

bool Connection::ConnectFailed() const {
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error != 0;
}

void Connection::OnConnected() {
  if (ConnectFailed()) return EndExchange(RowFailure::kConnect);
  if (UnaskedBytesWait()) return EndExchange(RowFailure::kUnasked);
  state_ = State::kExchanging;
  Write();
}

void Connection::OnHeld() {
  if (ConnectFailed()) return Close();
  holding_ = false;
  stood_idle_ = true;
  state_ = State::kIdle;
  WatchWrites(false);
}

void Connection::Write() {
  while (written_ < request_.size()) {
    const ssize_t n = ::send(socket_.get(), request_.data() + written_, request_.size() - written_,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      written_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      return WatchWrites(true);
    } else if (errno != EINTR) {
      // The server takes no more of the request, but may have answered: a 413 comes before the body
      // was read.
      broken_ = true;
      WatchWrites(false);
      return Read();
    }
  }
  times_.sent = Clock::now();
  WatchWrites(false);
}

void Connection::WatchWrites(bool wanted) {
  if (watching_writes_ == wanted) return;
  watching_writes_ = wanted;
  const std::uint32_t events = EPOLLIN | EPOLLRDHUP;
  loop_.Rewatch(socket_.get(), wanted ? events | EPOLLOUT : events, this);
}

void Connection::Read() {
  auto& buffer = ReadBuffer();
  const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return OnEnd(n == 0);
  const auto now = Clock::now();
  if (times_.first_byte == Clock::time_point{}) times_.first_byte = now;
  times_.last_byte = now;
  const auto size = static_cast<std::size_t>(n);
  const std::size_t used = parser_.Feed({buffer.data(), size});
  if (parser_.failed()) return EndExchange(parser_.failure());
  if (!parser_.complete()) return;
  const bool reusable = parser_.keep_alive() && written_ == request_.size() && !broken_;
  if (!reusable) return EndExchange(RowFailure::kNone);
  stood_idle_ = true;
  state_ = State::kIdle;
  if (used < size) {
    Close();
    owner_.OnIdleEnd(*this, true);
  }
  owner_.OnExchangeEnd(*this);
}

void Connection::OnEnd(bool orderly) {
  if (!orderly) return EndExchange(RowFailure::kReset);
  parser_.End();
  EndExchange(parser_.failure());
}

// Something happened on a connection without a request. Bytes that come together with the end are a
// server's last message (408, too late a request): they count as an end, not as unasked bytes.
void Connection::ReadIdle(std::uint32_t events) {
  const bool ended = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  Close();
  owner_.OnIdleEnd(*this, !ended);
}

void Connection::TimeOut() {
  if (state_ == State::kConnecting || state_ == State::kExchanging) {
    EndExchange(RowFailure::kTimeout);
  }
}

void Connection::EndExchange(RowFailure failure) {
  failure_ = failure;
  Close();
  owner_.OnExchangeEnd(*this);
}

}  // namespace mlprof::agent
