// Ports of the model's, forwarded to the controller: all streams of one connection.
#pragma once

#include <cstdint>
#include <map>

#include "agent/tunnel/tunnel_stream.h"

namespace mlprof::agent {

class Tunnel {
 public:
  Tunnel(EventLoop& loop, ControllerLink& link) : loop_(loop), link_(link) {}

  /// An error where the controller broke the protocol.
  Status On(const agent_protocol::ForwardMessage& message);
  /// Closes all streams, and every one that is opened later.
  void OnModelEnded();
  /// After each batch of events: whether the link has room for the model's bytes. Without it they
  /// are left to wait in their sockets.
  void SetRoom(bool room);
  /// The controller is gone: all end without a word.
  void Drop() { streams_.clear(); }

 private:
  Status Open(const agent_protocol::ForwardOpen& open);
  Result<TunnelStream*> Find(std::uint32_t id);

  EventLoop& loop_;
  ControllerLink& link_;
  std::map<std::uint32_t, TunnelStream> streams_;  // until both sides have closed them
  std::uint32_t last_id_ = 0;
  bool room_ = true;
  bool model_ended_ = false;
};

}  // namespace mlprof::agent
