// One TCP connection to the model on 127.0.0.1 that carries one request at a time. It knows nothing
// of rows: whoever owns it is told how an exchange ended and decides what comes next.
#pragma once

#include <netinet/in.h>

#include <optional>
#include <string>
#include <string_view>

#include "agent/loop/event_loop.h"
#include "agent/relay/request_head.h"
#include "agent/relay/response_parser.h"

namespace mlprof::agent {

class Connection;

class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  /// The exchange is over: parser() and times() say how. The connection is idle or closed.
  virtual void OnExchangeEnd(Connection& connection) = 0;
  /// An idle connection ended; `unasked` when bytes came that nobody had asked for.
  virtual void OnIdleEnd(Connection& connection, bool unasked) = 0;
};

class Connection final : public Watcher {
 public:
  struct Times {
    Clock::time_point sent{};
    Clock::time_point first_byte{};
    Clock::time_point last_byte{};
  };

  /// `slot` is the owner's name for it.
  Connection(EventLoop& loop, int port, ConnectionOwner& owner, std::size_t slot = 0);
  ~Connection() override;

  /// Sends a request, connecting first where needed. Bytes that are there already fail the exchange
  /// as kUnasked. The owner may be called back before this returns.
  void Send(const RequestHead& head, std::string_view body);
  /// Connects, without a request, where it is closed. The owner hears of it only where it ends
  /// idle.
  void Hold();
  /// The same request once more.
  void Resend();
  /// Ends the exchange as kTimeout.
  void TimeOut();
  void Close();

  std::size_t slot() const { return slot_; }
  agent_protocol::RowFailure failure() const { return failure_; }
  const ResponseParser& parser() const { return parser_; }
  const Times& times() const { return times_; }
  /// The failed exchange went over a kept connection and got no byte of a response: the server may
  /// have closed it while idle, so that trying once more is right.
  bool WorthRetrying() const;

 private:
  enum class State { kClosed, kIdle, kConnecting, kExchanging };
  void OnEvents(std::uint32_t events) override;
  bool Connect();
  bool ConnectFailed() const;
  void OnConnected();
  void OnHeld();
  bool UnaskedBytesWait();
  void Write();
  void Read();
  void ReadIdle(std::uint32_t events);
  void OnEnd(bool orderly);
  void EndExchange(agent_protocol::RowFailure failure);
  void WatchWrites(bool wanted);

  EventLoop& loop_;
  const int port_;
  ConnectionOwner& owner_;
  const std::size_t slot_;
  UniqueFd socket_;
  State state_ = State::kClosed;
  bool stood_idle_ = false;  // this socket has; a server may end it then
  bool holding_ = false;     // connecting without a request
  bool kept_ = false;        // this exchange began on such a socket
  bool watching_writes_ = false;
  bool broken_ = false;  // for writing
  bool head_request_ = false;
  std::string request_;
  std::size_t written_ = 0;
  ResponseParser parser_;
  Times times_;
  agent_protocol::RowFailure failure_ = agent_protocol::RowFailure::kNone;
};

}  // namespace mlprof::agent
