#include "server/runtime/agent_connection.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <variant>

#include "common/agent_protocol/codec.h"
#include "common/log/log.h"
#include "common/os/start_thread.h"
#include "common/os/until_memory.h"
#include "server/runtime/agent_handshake.h"
#include "server/runtime/forward/forward_streams.h"

namespace mlprof::server {
namespace {

using agent_protocol::Frame;
using agent_protocol::FrameDecoder;
using agent_protocol::FrameType;

// Rows that an agent does not read: as many as may be in flight, of a mebibyte each.
constexpr std::size_t kMaxQueued = 1u << 30;

}  // namespace

Result<std::unique_ptr<AgentConnection>> AgentConnection::Adopt(int fd, const Patience& patience) {
  UniqueFd socket(fd);
  FrameDecoder decoder(agent_protocol::Sender::kAgent);
  MLPROF_LET(hello, AwaitHello(fd, decoder, patience));
  MLPROF_LET(clock_offset, MeasureClockOffset(fd, decoder, patience));
  std::unique_ptr<AgentConnection> connection(
      new AgentConnection(std::move(socket), std::move(decoder), std::move(hello), clock_offset));
  MLPROF_TRY(connection->Open());
  return connection;
}

AgentConnection::AgentConnection(UniqueFd socket, FrameDecoder decoder, agent_protocol::Hello hello,
                                 ClockOffset clock_offset)
    : socket_(std::move(socket)),
      hello_(std::move(hello)),
      clock_offset_(clock_offset),
      forwards_(std::make_shared<ForwardStreams>(static_cast<ForwardCarrier&>(*this))),
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
  auto thread = StartThread("agent link", [this](const std::stop_token&) { Run(); });
  if (!thread) return Fail(thread.error());
  thread_ = *std::move(thread);
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
  forwards_->End(Unavailable("the connection to the agent was given up"));
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
void AgentConnection::SetConnections(const agent_protocol::Connections& connections) {
  Send(connections, false);
}
void AgentConnection::TakeCensus(const agent_protocol::CensusQuestion& question) {
  censuses_.fetch_add(1, std::memory_order_relaxed);
  Send(question, false);
}
void AgentConnection::Stop(const agent_protocol::Stop& stop) { Send(stop, false); }

void AgentConnection::SendRow(agent_protocol::Row row) {
  if (row.body.size() > agent_protocol::kMaxRowBody) {
    const std::lock_guard lock(mutex_);
    CloseLocked(Error(ErrorCode::kTooLarge, "a row is larger than 64 MiB"));
    return;
  }
  if (row.due > std::chrono::nanoseconds{0}) row.due = clock_offset_.There(row.due);
  Send(row, true);
}

Result<std::unique_ptr<PortStream>> AgentConnection::Connect(int port, Deadline deadline) {
  return CarriedStream::Open(forwards_, port, deadline);
}

void AgentConnection::SendForward(const agent_protocol::ForwardMessage& message) {
  std::visit([this](const auto& said) { Send(said, false); }, message);
}

bool AgentConnection::HasRoom() {
  const std::lock_guard lock(mutex_);
  return outgoing_.empty();
}

void AgentConnection::TellForwards() {
  std::unique_lock lock(mutex_);
  const bool room = outgoing_.empty();
  const std::optional<Error> closed = closed_;
  lock.unlock();
  if (closed) return forwards_->End(*closed);
  if (room) forwards_->OnRoom();
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
  { const std::lock_guard lock(mutex_); }  // waits until thread_ is set
  // Frames that came together with the Hello wait in the decoder.
  bool pending = true;
  while (true) {
    try {
      return Serve(pending);
    } catch (...) {
      LogThrown("the agent link is broken off", "agent link");
    }
    // Some of what was read has been lost: the listener must be told that the link is over.
    UntilThereIsMemory([this] {
      const std::lock_guard lock(mutex_);
      CloseLocked(Internal("what the agent said could not be handled; the server's log has more"));
    });
    pending = false;
  }
}

void AgentConnection::Serve(bool pending) {
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
    TellForwards();
    TellClosed();
  }
}

void AgentConnection::ReadBatch() {
  const auto space = decoder_.Space();
  const ssize_t n = ::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
  const int error = errno;
  if (n > 0) decoder_.Commit(static_cast<std::size_t>(n));
  const Status delivered = DeliverBatch();
  const std::lock_guard lock(mutex_);
  if (!delivered) {
    CloseLocked(delivered.error().WithContext("the agent broke the protocol"));
  } else if (n == 0 || (n < 0 && error == ECONNRESET)) {
    CloseLocked(ClosedByAgent());
  } else if (n < 0 && error != EAGAIN && error != EINTR) {
    CloseLocked(FromErrno(error, "reading from the agent"));
  }
}

/// Tells Listen() whether a callback may be running.
class AgentConnection::Delivery {
 public:
  /// With the mutex locked.
  explicit Delivery(AgentConnection& link) : link_(link) {
    link_.delivering_ = true;
    link_.current_ = link_.listener_;
  }
  ~Delivery() {
    {
      const std::lock_guard lock(link_.mutex_);
      link_.delivering_ = false;
      ++link_.batches_;
    }
    link_.batch_ended_.notify_all();
  }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

 private:
  AgentConnection& link_;
};

Status AgentConnection::DeliverBatch() {
  std::unique_lock lock(mutex_);
  const Delivery delivery(*this);
  lock.unlock();
  Status delivered = DeliverFrames();
  const std::lock_guard again(mutex_);
  if (!outgoing_.empty() && !watching_writes_) FlushLocked();
  return delivered;
}

Status AgentConnection::DeliverFrames() {
  while (true) {
    MLPROF_LET(frame, decoder_.Next());
    if (!frame.has_value()) return {};
    MLPROF_TRY(Deliver(*frame));
  }
}

Status AgentConnection::Deliver(const Frame& frame) {
  const auto deliver = [&](auto decoded, auto method) -> Status {
    if (!decoded) return Fail(decoded.error());
    if (current_ != nullptr) (current_->*method)(*decoded);
    return {};
  };
  if (frame.type == FrameType::kResponse) {
    // A row is counted before it is written, so an honest response never finds the count too low.
    if (++responses_ > rows_.load(std::memory_order_relaxed)) {
      return Fail(InvalidArgument("a response to a row that was never sent"));
    }
    auto response = agent_protocol::DecodeResponse(frame.payload);
    if (response) response->read_at = clock_offset_.Here(response->read_at);
    return deliver(std::move(response), &AgentListener::OnResponse);
  }
  if (agent_protocol::IsForward(frame.type)) {
    // Asked for by the streams' credit, which bounds it.
    const auto message = agent_protocol::DecodeForward(frame);
    return message ? forwards_->On(*message) : Fail(message.error());
  }
  if (!unasked_.Take(Deadline::Clock::now)) {
    return Fail(ErrorCode::kResourceExhausted, "more than 10,000 unasked frames a second");
  }
  switch (frame.type) {
    case FrameType::kSample: {
      auto sample = agent_protocol::DecodeSample(frame.payload);
      if (sample) sample->at = clock_offset_.Here(sample->at);
      return deliver(std::move(sample), &AgentListener::OnSample);
    }
    case FrameType::kReady:
      return deliver(agent_protocol::DecodeReady(frame.payload), &AgentListener::OnReady);
    case FrameType::kProcessEvent:
      return deliver(agent_protocol::DecodeProcessEvent(frame.payload),
                     &AgentListener::OnProcessEvent);
    case FrameType::kProcesses: {
      if (++censuses_told_ > censuses_.load(std::memory_order_relaxed)) {
        return Fail(InvalidArgument("a census that nobody asked for"));
      }
      auto processes = agent_protocol::DecodeProcesses(frame.payload);
      if (processes) processes->at = clock_offset_.Here(processes->at);
      return deliver(std::move(processes), &AgentListener::OnProcesses);
    }
    case FrameType::kClockReading:
      return Fail(InvalidArgument("a reading of its clock that nobody asked for"));
    default: return Fail(InvalidArgument("a second hello"));
  }
}

void AgentConnection::TellClosed() {
  std::unique_lock lock(mutex_);
  if (!closed_ || closed_told_ || listener_ == nullptr) return;
  closed_told_ = true;
  const Delivery delivery(*this);
  lock.unlock();
  current_->OnClosed(*closed_);
}

}  // namespace mlprof::server
