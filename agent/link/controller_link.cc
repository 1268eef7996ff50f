#include "agent/link/controller_link.h"

#include <sys/socket.h>

#include <cerrno>

namespace mlprof::agent {

using agent_protocol::FrameType;

ControllerLink::ControllerLink(EventLoop& loop, UniqueFd socket, ControllerListener& listener)
    : loop_(loop),
      socket_(std::move(socket)),
      listener_(listener),
      decoder_(agent_protocol::Sender::kController) {}

ControllerLink::~ControllerLink() {
  if (socket_) loop_.Unwatch(socket_.get(), this);
}

// Frames are handled last in each batch of events. So when a row is sent, an idle connection to the
// model that has ended is known to have, and need not be looked at for every row.
Status ControllerLink::Open() {
  loop_.HandleLast(this);
  return loop_.Watch(socket_.get(), EPOLLIN, this);
}

void ControllerLink::OnEvents(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) Flush();
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) == 0) return;
  const auto space = decoder_.Space();
  const ssize_t n = ::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return Close(Unavailable("the controller closed the connection"));
  decoder_.Commit(static_cast<std::size_t>(n));
  const Status handled = HandleFrames(Clock::now());
  if (!handled) Close(handled.error());
}

Status ControllerLink::HandleFrames(Clock::time_point read_at) {
  while (socket_) {
    MLPROF_LET(frame, decoder_.Next());
    if (!frame.has_value()) return {};
    const std::string_view payload = frame->payload;
    if (frame->type == FrameType::kRow) {
      MLPROF_LET(row, agent_protocol::DecodeRow(payload));
      listener_.OnRow(row, read_at);
    } else if (frame->type == FrameType::kStart) {
      MLPROF_LET(start, agent_protocol::DecodeStart(payload));
      listener_.OnStart(start);
    } else if (frame->type == FrameType::kConnections) {
      MLPROF_LET(connections, agent_protocol::DecodeConnections(payload));
      listener_.OnConnections(connections);
    } else if (agent_protocol::IsForward(frame->type)) {
      MLPROF_LET(message, agent_protocol::DecodeForward(*frame));
      MLPROF_TRY(listener_.OnForward(message));
    } else if (frame->type == FrameType::kCensusQuestion) {
      MLPROF_LET(question, agent_protocol::DecodeCensusQuestion(payload));
      listener_.OnCensusQuestion(question);
    } else if (frame->type == FrameType::kClockProbe) {
      MLPROF_LET(probe, agent_protocol::DecodeClockProbe(payload));
      Send(agent_protocol::ClockReading{probe.number, Clock::now().time_since_epoch()});
    } else {
      MLPROF_LET(stop, agent_protocol::DecodeStop(payload));
      listener_.OnStop(stop);
    }
  }
  return {};
}

int ControllerLink::WriteSome() {
  while (socket_ && written_ < outgoing_.size()) {
    const ssize_t n = ::send(socket_.get(), outgoing_.data() + written_,
                             outgoing_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      written_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void ControllerLink::Flush() {
  if (!socket_) {
    outgoing_.clear();
    return;
  }
  if (!urgent_) return;
  sent_since_flush_ = 0;
  if (const int error = WriteSome(); error != 0) {
    return Close(FromErrno(error, "writing to the controller"));
  }
  if (written_ == outgoing_.size()) {
    outgoing_.clear();
    written_ = 0;
    urgent_ = false;
    held_ = 0;
  }
  if (watching_writes_ == !outgoing_.empty()) return;
  watching_writes_ = !outgoing_.empty();
  loop_.Rewatch(socket_.get(), watching_writes_ ? EPOLLIN | EPOLLOUT : EPOLLIN, this);
}

void ControllerLink::Close(const Error& why) {
  if (!socket_) return;
  loop_.Unwatch(socket_.get(), this);
  socket_.Reset();
  listener_.OnControllerGone(why);
}

}  // namespace mlprof::agent
