#include "server/runtime/forward/forward_streams.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace mlprof::server {
namespace {

using agent_protocol::ForwardClose;
using agent_protocol::ForwardCredit;
using agent_protocol::ForwardData;
using agent_protocol::ForwardEnd;
using agent_protocol::ForwardOpen;

constexpr int kLargestPort = 65535;

Error WhyClosed(const ForwardClose& close, int port) {
  const std::string where = "port " + std::to_string(port) + " of the container";
  switch (close.reason) {
    case ForwardClose::Reason::kRefused: return Unavailable("nothing listens on " + where);
    case ForwardClose::Reason::kReset:
      return Unavailable("the connection to " + where + " was broken from within");
    case ForwardClose::Reason::kModelEnded:
      return Unavailable("the model ended, and its " + where + " with it");
    case ForwardClose::Reason::kFailed:
      return Unavailable(where + " could not be reached: " + close.detail);
    case ForwardClose::Reason::kFinished: break;
  }
  return Unavailable("the connection to " + where + " is over");
}

Error ClosedHere() { return Cancelled("the connection to the model's port was closed"); }

Status BrokenBy(const char* what) { return Fail(InvalidArgument(what)); }

}  // namespace

Status ForwardStreams::On(const agent_protocol::ForwardMessage& message) {
  const std::lock_guard lock(mutex_);
  const auto id = std::visit([](const auto& said) { return said.stream; }, message);
  const auto found = streams_.find(id);
  if (found == streams_.end()) return BrokenBy("a word of a forwarded stream that is not open");
  const Stream stream = found->second;
  stream->changed.notify_all();
  if (const auto* data = std::get_if<ForwardData>(&message)) return OnData(*stream, data->bytes);
  if (const auto* credit = std::get_if<ForwardCredit>(&message)) {
    return OnCredit(*stream, credit->bytes);
  }
  if (std::holds_alternative<ForwardEnd>(message)) return OnEnd(*stream);
  OnClose(stream, std::get<ForwardClose>(message));
  return {};
}

Status ForwardStreams::OnData(ForwardStream& stream, std::string_view bytes) {
  if (!stream.connected || stream.ended_there || !stream.receive.Accept(bytes.size())) {
    return BrokenBy("forwarded bytes without credit");
  }
  if (!stream.closed_here) stream.inbox.append(bytes);
  return {};
}

Status ForwardStreams::OnCredit(ForwardStream& stream, std::uint32_t bytes) {
  if (!stream.send.Grant(bytes)) return BrokenBy("more credit for forwarded bytes than a window");
  stream.connected = true;
  return {};
}

Status ForwardStreams::OnEnd(ForwardStream& stream) {
  if (!stream.connected || std::exchange(stream.ended_there, true)) {
    return BrokenBy("an end of a forwarded stream that was not open");
  }
  return {};
}

void ForwardStreams::OnClose(const Stream& stream, const ForwardClose& close) {
  if (!stream->closed_here) carrier_->SendForward(ForwardClose{stream->id});
  stream->over = WhyClosed(close, stream->port);
  streams_.erase(stream->id);
}

void ForwardStreams::OnRoom() {
  const std::lock_guard lock(mutex_);
  if (waiting_for_room_ == 0) return;
  for (const auto& [id, stream] : streams_) stream->changed.notify_all();
}

void ForwardStreams::End(const Error& why) {
  const std::lock_guard lock(mutex_);
  if (!over_) over_ = why;
  carrier_ = nullptr;
  for (const auto& [id, stream] : streams_) {
    stream->over = *over_;
    stream->changed.notify_all();
  }
  streams_.clear();
}

Result<ForwardStreams::Stream> ForwardStreams::Begin(int port) {
  if (port < 1 || port > kLargestPort) {
    return Fail(InvalidArgument("there is no port " + std::to_string(port)));
  }
  if (over_) return Fail(*over_);
  if (streams_.size() >= agent_protocol::kMaxForwards) {
    return Fail(ErrorCode::kResourceExhausted,
                std::to_string(agent_protocol::kMaxForwards) +
                    " connections to ports of the container are open, the most there may be");
  }
  auto stream = std::make_shared<ForwardStream>(++last_id_, port);
  streams_.emplace(stream->id, stream);
  carrier_->SendForward(ForwardOpen{stream->id, port});
  return stream;
}

template <class Ready>
bool ForwardStreams::Await(ForwardStream& stream, std::unique_lock<std::mutex>& lock,
                           Deadline deadline, const Ready& ready) {
  const auto done = [&] { return stream.over || stream.closed_here || ready(); };
  while (!done()) {
    if (deadline.Passed()) return false;
    stream.changed.wait_until(lock, deadline.when(), done);
  }
  return true;
}

Result<ForwardStreams::Stream> ForwardStreams::Open(int port, Deadline deadline) {
  std::unique_lock lock(mutex_);
  MLPROF_LET(stream, Begin(port));
  const bool responded = Await(*stream, lock, deadline, [&] { return stream->connected; });
  if (stream->over) return Fail(*stream->over);
  if (responded) return stream;
  CloseLocked(*stream);
  return Fail(DeadlineExceeded("port " + std::to_string(port) +
                               " of the container did not take the connection in time"));
}

Result<std::string> ForwardStreams::Read(ForwardStream& stream, Deadline deadline) {
  std::unique_lock lock(mutex_);
  Await(stream, lock, deadline, [&] { return !stream.inbox.empty() || stream.ended_there; });
  if (stream.closed_here) return Fail(ClosedHere());
  if (!stream.inbox.empty()) {
    const auto granted = stream.receive.Consume(stream.inbox.size());
    if (granted > 0 && !stream.over) carrier_->SendForward(ForwardCredit{stream.id, granted});
    return std::exchange(stream.inbox, {});
  }
  if (stream.ended_there) return std::string();
  if (stream.over) return Fail(*stream.over);
  return Fail(DeadlineExceeded("the model sent nothing more in time"));
}

bool ForwardStreams::MayWrite(const ForwardStream& stream) const {
  return stream.send.credit() > 0 && carrier_->HasRoom();
}

Status ForwardStreams::Write(ForwardStream& stream, std::string_view bytes, Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (!bytes.empty()) {
    ++waiting_for_room_;
    const bool told =
        Await(stream, lock, deadline, [&] { return stream.ended_here || MayWrite(stream); });
    --waiting_for_room_;
    if (stream.closed_here) return Fail(ClosedHere());
    if (stream.over) return Fail(*stream.over);
    if (stream.ended_here) return Fail(InvalidArgument("written behind the stream's end"));
    if (!told) return Fail(DeadlineExceeded("the model took no more in time"));
    const auto size =
        std::min({bytes.size(), stream.send.credit(), agent_protocol::kMaxForwardData});
    stream.send.Take(size);
    carrier_->SendForward(ForwardData{stream.id, bytes.substr(0, size)});
    bytes.remove_prefix(size);
  }
  return {};
}

void ForwardStreams::CloseWrite(ForwardStream& stream) {
  const std::lock_guard lock(mutex_);
  if (stream.over || stream.closed_here || std::exchange(stream.ended_here, true)) return;
  carrier_->SendForward(ForwardEnd{stream.id});
  stream.changed.notify_all();
}

void ForwardStreams::Close(ForwardStream& stream) {
  const std::lock_guard lock(mutex_);
  CloseLocked(stream);
  stream.inbox = {};
  stream.changed.notify_all();
}

void ForwardStreams::CloseLocked(ForwardStream& stream) {
  if (stream.over || std::exchange(stream.closed_here, true)) return;
  carrier_->SendForward(ForwardClose{stream.id});
}

}  // namespace mlprof::server
