// One forwarded stream: a TCP connection to a port of the model's on the one side, frames on the
// other. Either way no more than a window of bytes waits here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/link/controller_link.h"
#include "agent/loop/event_loop.h"
#include "agent/tunnel/loopback_connect.h"
#include "common/agent_protocol/forward.h"

namespace mlprof::agent {

class TunnelStream final : public Watcher {
 public:
  using Reason = agent_protocol::ForwardClose::Reason;

  /// `may_read`: as of SetReading.
  TunnelStream(EventLoop& loop, ControllerLink& link, std::uint32_t id, int port, bool may_read);
  ~TunnelStream() override;

  /// 127.0.0.1 first, and ::1 where nothing listens there.
  void Connect();
  /// What the controller said of it; an error where that breaks the protocol.
  Status OnData(std::string_view bytes);
  Status OnCredit(std::uint32_t bytes);
  Status OnEnd();
  /// The last thing it says; answered unless the stream has been closed here.
  void OnClose() { Close(Reason::kFinished); }
  /// What the model said last is sent on as far as there is credit.
  void OnModelEnded();
  /// Whether the model's bytes may be read now.
  void SetReading(bool may_read);

 private:
  void OnEvents(std::uint32_t events) override;
  void BeginConnecting(Loopback address);
  void OnConnected();
  void OnConnectFailed(int error);
  bool WantsToRead() const;
  void Read();
  void OnReadEnd(bool orderly);
  /// Sends one piece on; what recv gave.
  ssize_t ReadPiece();
  void Write();
  void OnWriteBroken();
  void Grant(std::size_t taken);
  void FinishOrWatch();
  void Watch();
  void Close(Reason reason, std::string detail = {});

  EventLoop& loop_;
  ControllerLink& link_;
  const std::uint32_t id_;
  const int port_;
  bool may_read_;
  Loopback address_ = Loopback::kIpv4;
  UniqueFd socket_;
  std::uint32_t watched_ = 0;  // for which events, none where it is not watched at all
  bool connected_ = false;
  bool read_ended_ = false;        // the model sends no more
  bool controller_ended_ = false;  // neither does the controller
  bool broken_ = false;            // for writing
  bool closed_ = false;            // said
  agent_protocol::SendWindow send_{agent_protocol::kForwardWindow};
  agent_protocol::ReceiveWindow receive_{0};
  std::string to_model_;
  std::size_t written_ = 0;
};

}  // namespace mlprof::agent
