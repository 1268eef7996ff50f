#include "agent/tunnel/tunnel.h"

#include <tuple>
#include <utility>
#include <variant>

namespace mlprof::agent {

using agent_protocol::ForwardClose;
using agent_protocol::ForwardCredit;
using agent_protocol::ForwardData;
using agent_protocol::ForwardEnd;
using agent_protocol::ForwardOpen;

Status Tunnel::On(const agent_protocol::ForwardMessage& message) {
  if (const auto* open = std::get_if<ForwardOpen>(&message)) return Open(*open);
  const auto id = std::visit([](const auto& said) { return said.stream; }, message);
  MLPROF_LET(stream, Find(id));
  if (const auto* data = std::get_if<ForwardData>(&message)) return stream->OnData(data->bytes);
  if (const auto* credit = std::get_if<ForwardCredit>(&message)) {
    return stream->OnCredit(credit->bytes);
  }
  if (std::holds_alternative<ForwardEnd>(message)) return stream->OnEnd();
  stream->OnClose();
  streams_.erase(id);
  return {};
}

Status Tunnel::Open(const ForwardOpen& open) {
  if (open.stream <= last_id_) return Fail(InvalidArgument("a stream's number came again"));
  if (streams_.size() >= agent_protocol::kMaxForwards) {
    return Fail(InvalidArgument("too many forwarded streams"));
  }
  last_id_ = open.stream;
  TunnelStream& stream =
      streams_
          .emplace(std::piecewise_construct, std::tuple(open.stream),
                   std::forward_as_tuple(loop_, link_, open.stream, open.port, room_))
          .first->second;
  if (model_ended_) {
    stream.OnModelEnded();
  } else {
    stream.Connect();
  }
  return {};
}

Result<TunnelStream*> Tunnel::Find(std::uint32_t id) {
  const auto found = streams_.find(id);
  if (found != streams_.end()) return &found->second;
  return Fail(InvalidArgument("forwarded stream " + std::to_string(id) + " is not open"));
}

void Tunnel::OnModelEnded() {
  model_ended_ = true;
  for (auto& [id, stream] : streams_) stream.OnModelEnded();
}

void Tunnel::SetRoom(bool room) {
  if (std::exchange(room_, room) == room) return;
  for (auto& [id, stream] : streams_) stream.SetReading(room);
}

}  // namespace mlprof::agent
