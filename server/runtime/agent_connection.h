// AgentLink over a connected AF_UNIX stream socket, with one thread of its own.
//
// Rows sent from inside a callback are coalesced and leave in one write when the batch of frames
// that was read has been delivered; rows sent from elsewhere are written at once by the caller, so
// that no thread has to be woken. An agent that breaks the protocol, answers more rows than it was
// sent or floods the link loses its connection, and so does one whose listener throws; the listener
// is told why, once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "common/agent_protocol/frame.h"
#include "common/os/unique_fd.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/agent_link.h"
#include "server/runtime/clock_offset.h"
#include "server/runtime/forward/forward_streams.h"
#include "server/runtime/outgoing_bytes.h"
#include "server/runtime/unasked_allowance.h"

namespace mlprof::server {

/// Thread-safe. The destructor closes the connection (the agent then ends the model and itself) and
/// joins the thread; it must not run inside a callback.
class AgentConnection final : public AgentLink, private ForwardCarrier {
 public:
  /// Takes `fd`, also on failure, and waits for the agent's Hello and clock. kDeadlineExceeded when
  /// none comes, kCancelled when the caller gives up, kUnavailable when the peer closes,
  /// kResourceExhausted where there is no thread for the link, kInvalidArgument for another
  /// protocol or version.
  static Result<std::unique_ptr<AgentConnection>> Adopt(int fd, const Patience& patience);
  ~AgentConnection() override;

  const agent_protocol::Hello& hello() const { return hello_; }
  /// What the agent's clock was ahead when it connected. All that is delivered has the times of
  /// this machine's clock.
  const ClockOffset& clock_offset() const { return clock_offset_; }

  /// OnClosed for a link that is closed already also comes on the link's thread, right after this.
  /// Inside a callback it takes effect with the next frame and waits for nothing.
  void Listen(AgentListener* listener) override;
  /// On a closed link these do nothing: OnClosed has said or will say so.
  void Start(const agent_protocol::Start& start) override;
  void SetConnections(const agent_protocol::Connections& connections) override;
  void SendRow(agent_protocol::Row row) override;
  void TakeCensus(const agent_protocol::CensusQuestion& question) override;
  void Stop(const agent_protocol::Stop& stop) override;
  Result<std::unique_ptr<PortStream>> Connect(int port, Deadline deadline) override;

 private:
  AgentConnection(UniqueFd socket, agent_protocol::FrameDecoder decoder,
                  agent_protocol::Hello hello, ClockOffset clock_offset);
  Status Open();
  template <class Message>
  void Send(const Message& message, bool is_row);

  class Delivery;

  void Run();
  void Serve(bool pending);
  void ReadBatch();
  Status DeliverBatch();
  Status DeliverFrames();
  Status Deliver(const agent_protocol::Frame& frame);
  bool OnLinkThread() const { return std::this_thread::get_id() == thread_.get_id(); }

  void FlushLocked();
  void WatchLocked();
  void Wake() const;
  void CloseLocked(Error why);
  void TellClosed();

  void SendForward(const agent_protocol::ForwardMessage& message) override;
  bool HasRoom() override;
  void TellForwards();

  UniqueFd socket_;
  UniqueFd epoll_;
  UniqueFd wake_;
  const agent_protocol::Hello hello_;
  const ClockOffset clock_offset_;
  const std::shared_ptr<ForwardStreams> forwards_;  // with the streams, which may outlive this
  std::jthread thread_;
  std::atomic<std::uint64_t> rows_ = 0;      // sent
  std::atomic<std::uint64_t> censuses_ = 0;  // asked for

  // The link thread's own.
  agent_protocol::FrameDecoder decoder_;
  AgentListener* current_ = nullptr;
  std::uint64_t responses_ = 0;
  std::uint64_t censuses_told_ = 0;
  UnaskedAllowance unasked_;

  std::mutex mutex_;
  std::condition_variable batch_ended_;
  AgentListener* listener_ = nullptr;
  bool delivering_ = false;
  std::uint64_t batches_ = 0;
  OutgoingBytes outgoing_;
  bool watching_writes_ = false;
  std::optional<Error> closed_;
  bool closed_told_ = false;
  bool ending_ = false;
};

}  // namespace mlprof::server
