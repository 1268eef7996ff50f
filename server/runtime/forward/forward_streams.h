// The controller's end of all forwarded streams of one agent connection: what is said of them goes
// to the connection, what the agent says comes from its thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/agent_protocol/forward.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/forward/port_stream.h"

namespace mlprof::server {

/// What is known of one forwarded stream. Guarded by ForwardStreams' lock, but for its number.
struct ForwardStream {
  ForwardStream(std::uint32_t number, int to_port) : id(number), port(to_port) {}

  const std::uint32_t id;
  const int port;
  std::condition_variable changed;
  agent_protocol::SendWindow send{0};  // the agent's first credit says that it is connected
  agent_protocol::ReceiveWindow receive{agent_protocol::kForwardWindow};
  std::string inbox;          // never more than a window
  bool connected = false;     // heard
  bool ended_there = false;   // heard
  bool ended_here = false;    // said
  bool closed_here = false;   // said, by its owner's wish
  std::optional<Error> over;  // the agent closed it, or the link ended
};

/// What streams need of the connection that carries them. Called with the streams' lock held, so it
/// must never wait for it.
class ForwardCarrier {
 public:
  virtual ~ForwardCarrier() = default;
  virtual void SendForward(const agent_protocol::ForwardMessage& message) = 0;
  /// Nothing else waits to be written: bulk never stands before a row.
  virtual bool HasRoom() = 0;
};

/// All streams of one connection. Thread-safe.
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

/// A PortStream over one of an agent connection's forwarded streams.
class CarriedStream final : public PortStream {
 public:
  /// Errors as of ForwardStreams::Open.
  static Result<std::unique_ptr<PortStream>> Open(std::shared_ptr<ForwardStreams> streams, int port,
                                                  Deadline deadline) {
    MLPROF_LET(stream, streams->Open(port, deadline));
    return std::unique_ptr<PortStream>(new CarriedStream(std::move(streams), std::move(stream)));
  }
  ~CarriedStream() override { streams_->Close(*stream_); }

  Result<std::string> Read(Deadline deadline) override {
    return streams_->Read(*stream_, deadline);
  }
  Status Write(std::string_view bytes, Deadline deadline) override {
    return streams_->Write(*stream_, bytes, deadline);
  }
  void CloseWrite() override { streams_->CloseWrite(*stream_); }
  void Close() override { streams_->Close(*stream_); }

 private:
  CarriedStream(std::shared_ptr<ForwardStreams> streams, ForwardStreams::Stream stream)
      : streams_(std::move(streams)), stream_(std::move(stream)) {}

  const std::shared_ptr<ForwardStreams> streams_;
  const ForwardStreams::Stream stream_;
};

}  // namespace mlprof::server
