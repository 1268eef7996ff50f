#include "server/runtime/agent_connection.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/agent_protocol/codec.h"
#include "server/runtime/agent_handshake.h"

namespace mlprof {
namespace {

using agent_protocol::Frame;
using agent_protocol::FrameDecoder;
using agent_protocol::FrameType;

constexpr std::size_t kMaxQueued = 1u << 30;

}  // namespace

Result<std::unique_ptr<AgentConnection>> AgentConnection::Adopt(int fd, const Patience& patience) {
  UniqueFd socket(fd);
  FrameDecoder decoder(agent_protocol::Sender::kAgent);
  auto hello = AwaitHello(fd, decoder, patience);
  if (!hello) return Fail(hello.error());
  std::unique_ptr<AgentConnection> connection(
      new AgentConnection(std::move(socket), std::move(decoder), std::move(*hello)));
  MLPROF_TRY(connection->Open());
  return connection;
}

AgentConnection::AgentConnection(UniqueFd socket, FrameDecoder decoder, agent_protocol::Hello hello)
    : socket_(std::move(socket)),
      hello_(std::move(hello)),
      decoder_(std::move(decoder)),
      unasked_(Deadline::Clock::now()) {}

Status AgentConnection::Open() {
  epoll_.Reset(::epoll_create1(EPOLL_CLOEXEC));
  wake_.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll_ || !wake_) return Fail(FromErrno(errno, "opening the agent link"));
  for (const int fd : {socket_.get(), wake_.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) < 0) {
      return Fail(FromErrno(errno, "watching the agent link"));
    }
  }
  // The new thread compares itself with thread_, which is only set once the constructor returns.
  const std::lock_guard lock(mutex_);
  thread_ = std::thread([this] { Run(); });
  return {};
}

AgentConnection::~AgentConnection() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
  }
  if (thread_.joinable()) {
    Wake();
    thread_.join();
  }
}

void AgentConnection::Wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(wake_.get(), &one, sizeof(one));
}

void AgentConnection::Listen(AgentListener* listener) {
  std::unique_lock lock(mutex_);
  listener_ = listener;
  if (closed_ && !closed_told_) Wake();
  if (OnLinkThread()) {
    current_ = listener;
    return;
  }
  if (closed_ && closed_told_ && listener != nullptr) {
    closed_told_ = false;
    Wake();
  }
  const std::uint64_t batch = batches_;
  batch_ended_.wait(lock, [&] { return !delivering_ || batches_ != batch; });
}

template <class Message>
void AgentConnection::Send(const Message& message, bool is_row) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  if (is_row) rows_.fetch_add(1, std::memory_order_relaxed);
  agent_protocol::Append(outgoing_.tail(), message);
  if (outgoing_.size() > kMaxQueued) {
    CloseLocked(
        Error(ErrorCode::kResourceExhausted, "more than 1 GiB of rows waits for the agent"));
  } else if (!OnLinkThread() && !watching_writes_) {
    FlushLocked();
  }
}

void AgentConnection::Start(const agent_protocol::Start& start) { Send(start, false); }
void AgentConnection::Stop(const agent_protocol::Stop& stop) { Send(stop, false); }

void AgentConnection::SendRow(const agent_protocol::Row& row) {
  if (row.body.size() > agent_protocol::kMaxRowBody) {
    const std::lock_guard lock(mutex_);
    CloseLocked(Error(ErrorCode::kTooLarge, "a row is larger than 64 MiB"));
    return;
  }
  Send(row, true);
}

void AgentConnection::FlushLocked() {
  if (!closed_) outgoing_.WriteTo(socket_.get());
  WatchLocked();
}

void AgentConnection::WatchLocked() {
  const bool wanted = !outgoing_.empty() && !closed_;
  if (wanted == watching_writes_ || closed_) return;
  watching_writes_ = wanted;
  epoll_event event{};
  event.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.fd = socket_.get();
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &event);
}

void AgentConnection::CloseLocked(Error why) {
  if (closed_) return;
  closed_ = std::move(why);
  outgoing_.Clear();
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket_.get(), nullptr);
  ::shutdown(socket_.get(), SHUT_RDWR);
  Wake();
}

void AgentConnection::Run() {
  { const std::lock_guard lock(mutex_); }  // until thread_ is set
  // What came behind the Hello in the same read.
  bool pending = true;
  while (true) {
    std::array<epoll_event, 2> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), 2, pending ? 0 : -1);
    bool readable = std::exchange(pending, false);
    bool writable = false;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == wake_.get()) {
        std::uint64_t ignored = 0;
        [[maybe_unused]] const ssize_t n = ::read(wake_.get(), &ignored, sizeof(ignored));
      } else {
        readable |= (event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0;
        writable |= (event.events & EPOLLOUT) != 0;
      }
    }
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      if (writable) FlushLocked();
    }
    if (readable) ReadBatch();
    TellClosed();
  }
}

void AgentConnection::ReadBatch() {
  const auto space = decoder_.Space();
  const ssize_t n = ::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
  const int error = errno;
  if (n > 0) decoder_.Commit(static_cast<std::size_t>(n));
  BeginDelivery();
  const Status delivered = DeliverFrames();
  EndDelivery();
  const std::lock_guard lock(mutex_);
  if (!delivered) {
    CloseLocked(delivered.error().WithContext("the agent broke the protocol"));
  } else if (n == 0 || (n < 0 && error == ECONNRESET)) {
    CloseLocked(ClosedByAgent());
  } else if (n < 0 && error != EAGAIN && error != EINTR) {
    CloseLocked(FromErrno(error, "reading from the agent"));
  }
}

void AgentConnection::BeginDelivery() {
  const std::lock_guard lock(mutex_);
  delivering_ = true;
  current_ = listener_;
}

void AgentConnection::EndDelivery() {
  {
    const std::lock_guard lock(mutex_);
    delivering_ = false;
    ++batches_;
    if (!outgoing_.empty() && !watching_writes_) FlushLocked();
  }
  batch_ended_.notify_all();
}

Status AgentConnection::DeliverFrames() {
  while (true) {
    auto frame = decoder_.Next();
    if (!frame) return Fail(frame.error());
    if (!frame->has_value()) return {};
    MLPROF_TRY(Deliver(**frame));
  }
}

Status AgentConnection::Deliver(const Frame& frame) {
  const auto deliver = [&](auto decoded, auto method) -> Status {
    if (!decoded) return Fail(decoded.error());
    if (current_ != nullptr) (current_->*method)(*decoded);
    return {};
  };
  if (frame.type == FrameType::kAnswer) {
    // The row was counted before it was written, and its answer comes after that.
    if (++answers_ > rows_.load(std::memory_order_relaxed)) {
      return Fail(InvalidArgument("an answer to a row that was never sent"));
    }
    return deliver(agent_protocol::DecodeAnswer(frame.payload), &AgentListener::OnAnswer);
  }
  if (!unasked_.Take(Deadline::Clock::now)) {
    return Fail(ErrorCode::kResourceExhausted, "more than 10,000 unasked frames a second");
  }
  switch (frame.type) {
    case FrameType::kSample:
      return deliver(agent_protocol::DecodeSample(frame.payload), &AgentListener::OnSample);
    case FrameType::kReady:
      return deliver(agent_protocol::DecodeReady(frame.payload), &AgentListener::OnReady);
    case FrameType::kProcessEvent:
      return deliver(agent_protocol::DecodeProcessEvent(frame.payload),
                     &AgentListener::OnProcessEvent);
    default: return Fail(InvalidArgument("a second hello"));
  }
}

void AgentConnection::TellClosed() {
  AgentListener* listener = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_ || closed_told_ || listener_ == nullptr) return;
    closed_told_ = true;
    delivering_ = true;
    current_ = listener = listener_;
  }
  listener->OnClosed(*closed_);
  EndDelivery();
}

}  // namespace mlprof
