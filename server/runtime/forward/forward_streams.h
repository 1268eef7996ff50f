// The controller's end of all forwarded streams of one agent connection: what is said of them goes
// to the connection, what the agent says comes from its thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "common/agent_protocol/forward.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/forward/forward_stream.h"

namespace mlprof::server {

/// What streams need of the connection that carries them. Called with the streams' lock held, so it
/// must never wait for it.
class ForwardCarrier {
 public:
  virtual ~ForwardCarrier() = default;
  virtual void SendForward(const agent_protocol::ForwardMessage& message) = 0;
  /// Nothing else waits to be written: bulk never stands before a row.
  virtual bool HasRoom() = 0;
};

/// Thread-safe.
class ForwardStreams {
 public:
  using Stream = std::shared_ptr<ForwardStream>;

  /// `carrier` must stay until End.
  explicit ForwardStreams(ForwardCarrier& carrier) : carrier_(&carrier) {}

  /// What the agent said; an error where it broke the protocol.
  Status On(const agent_protocol::ForwardMessage& message);
  /// The carrier may have room again.
  void OnRoom();
  /// The connection is over, and everything with it. Idempotent.
  void End(const Error& why);

  /// Waits until the agent is connected to `port`. kInvalidArgument for no port, kUnavailable with
  /// the reason where it is refused, kResourceExhausted where kMaxForwards are open.
  Result<Stream> Open(int port, Deadline deadline);
  /// As those of PortStream.
  Result<std::string> Read(ForwardStream& stream, Deadline deadline);
  Status Write(ForwardStream& stream, std::string_view bytes, Deadline deadline);
  void CloseWrite(ForwardStream& stream);
  void Close(ForwardStream& stream);

 private:
  Status OnData(ForwardStream& stream, std::string_view bytes);
  Status OnCredit(ForwardStream& stream, std::uint32_t bytes);
  Status OnEnd(ForwardStream& stream);
  void OnClose(const Stream& stream, const agent_protocol::ForwardClose& close);
  Result<Stream> Begin(int port);
  /// Waits until `ready`, or until the stream is over; false at the deadline.
  template <class Ready>
  bool Await(ForwardStream& stream, std::unique_lock<std::mutex>& lock, Deadline deadline,
             const Ready& ready);
  bool MayWrite(const ForwardStream& stream) const;
  void CloseLocked(ForwardStream& stream);

  std::mutex mutex_;
  ForwardCarrier* carrier_;  // null once it is over
  std::optional<Error> over_;
  std::map<std::uint32_t, Stream> streams_;  // until both sides have closed them
  std::uint32_t last_id_ = 0;
  int waiting_for_room_ = 0;
};

}  // namespace mlprof::server
