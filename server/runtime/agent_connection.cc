#include "server/runtime/agent_connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/agent_protocol/codec.h"

namespace mlprof {
namespace {

using agent_protocol::Frame;
using agent_protocol::FrameDecoder;
using agent_protocol::FrameType;

// Far above 1000 samples a second, the most an agent takes.
constexpr double kUnaskedPerSecond = 10'000;
constexpr std::size_t kMaxQueued = 1u << 30;
constexpr std::size_t kKeptQueue = 1u << 20;

Error ClosedByAgent() { return Unavailable("the agent closed its connection"); }

// Reads until one whole frame, the Hello, is there.
Result<Frame> AwaitFrame(int fd, FrameDecoder& decoder, Deadline deadline) {
  while (true) {
    auto frame = decoder.Next();
    if (!frame) return Fail(frame.error());
    if (frame->has_value()) return **frame;
    pollfd readable{fd, POLLIN, 0};
    const auto left = std::min<std::int64_t>(deadline.LeftMs().count(), 60'000);
    const int ready = ::poll(&readable, 1, static_cast<int>(left));
    if (ready == 0 && deadline.Passed()) {
      return Fail(DeadlineExceeded("the agent connected but did not say hello in time"));
    }
    if (ready <= 0) continue;
    const auto space = decoder.Space();
    const ssize_t n = ::recv(fd, space.data(), space.size(), 0);
    if (n == 0) return Fail(ClosedByAgent());
    if (n > 0) {
      decoder.Commit(static_cast<std::size_t>(n));
    } else if (errno != EAGAIN && errno != EINTR) {
      return Fail(FromErrno(errno, "reading from the agent"));
    }
  }
}

}  // namespace

Result<std::unique_ptr<AgentConnection>> AgentConnection::Adopt(int fd, Deadline deadline) {
  UniqueFd socket(fd);
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
      ::fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
    return Fail(FromErrno(errno, "preparing the agent's socket"));
  }
  FrameDecoder decoder(agent_protocol::Sender::kAgent);
  const auto frame = AwaitFrame(fd, decoder, deadline);
  if (!frame) return Fail(frame.error());
  if (frame->type != FrameType::kHello) {
    return Fail(InvalidArgument("the agent did not begin with hello"));
  }
  auto hello = agent_protocol::DecodeHello(frame->payload);
  if (!hello) return Fail(hello.error());
  if (hello->version != agent_protocol::kVersion) {
    return Fail(InvalidArgument("the agent speaks protocol " + std::to_string(hello->version) +
                                ", this controller " + std::to_string(agent_protocol::kVersion)));
  }
  std::unique_ptr<AgentConnection> connection(
      new AgentConnection(std::move(socket), std::move(decoder), std::move(*hello)));
  MLPROF_TRY(connection->Open());
  return connection;
}

AgentConnection::AgentConnection(UniqueFd socket, FrameDecoder decoder, agent_protocol::Hello hello)
    : socket_(std::move(socket)),
      hello_(std::move(hello)),
      decoder_(std::move(decoder)),
      unasked_credit_(kUnaskedPerSecond),
      credit_at_(Deadline::Clock::now()) {}

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
  rows_ += is_row ? 1 : 0;
  agent_protocol::Append(outgoing_, message);
  if (outgoing_.size() - written_ > kMaxQueued) {
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
  while (!closed_ && written_ < outgoing_.size()) {
    const ssize_t n = ::send(socket_.get(), outgoing_.data() + written_,
                             outgoing_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      written_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      // The end is told after what the agent had already said has been read.
      written_ = outgoing_.size();
    }
  }
  if (written_ == outgoing_.size()) {
    outgoing_.clear();
    written_ = 0;
    if (outgoing_.capacity() > kKeptQueue) outgoing_.shrink_to_fit();
  }
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
  outgoing_.clear();
  written_ = 0;
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
    ++answers_;
    {
      const std::lock_guard lock(mutex_);
      if (answers_ > rows_) return Fail(InvalidArgument("an answer to a row that was never sent"));
    }
    return deliver(agent_protocol::DecodeAnswer(frame.payload), &AgentListener::OnAnswer);
  }
  MLPROF_TRY(CountUnasked());
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

Status AgentConnection::CountUnasked() {
  if (unasked_credit_ < 1) {
    const auto now = Deadline::Clock::now();
    const std::chrono::duration<double> passed = now - credit_at_;
    credit_at_ = now;
    unasked_credit_ =
        std::min(kUnaskedPerSecond, unasked_credit_ + passed.count() * kUnaskedPerSecond);
    if (unasked_credit_ < 1) {
      return Fail(ErrorCode::kResourceExhausted, "more than 10,000 unasked frames a second");
    }
  }
  unasked_credit_ -= 1;
  return {};
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
