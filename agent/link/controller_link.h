// The agent's end of the connection: frames from the controller are handed on as messages, messages
// to it are gathered and written once per batch of events.
#pragma once

#include <string>

#include "agent/loop/event_loop.h"
#include "common/agent_protocol/codec.h"
#include "common/agent_protocol/forward.h"

namespace mlprof::agent {

class ControllerListener {
 public:
  virtual ~ControllerListener() = default;
  virtual void OnStart(const agent_protocol::Start& start) = 0;
  /// `read_at` is when the row's frame had been read; the body's view ends with the call.
  virtual void OnRow(const agent_protocol::RowView& row, Clock::time_point read_at) = 0;
  virtual void OnConnections(const agent_protocol::Connections& connections) = 0;
  virtual void OnCensusQuestion(const agent_protocol::CensusQuestion& question) = 0;
  virtual void OnStop(const agent_protocol::Stop& stop) = 0;
  /// An error where the controller broke the protocol; views end with the call.
  virtual Status OnForward(const agent_protocol::ForwardMessage& message) = 0;
  /// The controller went or broke the protocol; nothing follows.
  virtual void OnControllerGone(const Error& why) = 0;
};

class ControllerLink final : public Watcher {
 public:
  ControllerLink(EventLoop& loop, UniqueFd socket, ControllerListener& listener);
  ~ControllerLink() override;
  Status Open();

  template <class Message>
  void Send(const Message& message) {
    agent_protocol::Append(outgoing_, message);
    urgent_ = true;
    if (++sent_since_flush_ == kHeadStart) WriteSome();
  }
  /// Leaves with the next message that is sent, or as the last of `most` held ones.
  void Hold(const Sample& sample, int most) {
    agent_protocol::Append(outgoing_, sample);
    urgent_ |= ++held_ >= most;
  }
  /// The controller has not read for so long that 1 MiB waits: samples are left out then, so that
  /// responses do not wait behind them and memory stays bounded.
  bool Clogged() const { return outgoing_.size() > (1u << 20); }
  /// Forwarded bytes wait until what is said besides has all but left: it never queues behind more.
  bool HasRoom() const { return outgoing_.size() < (64u << 10); }
  /// Writes what was sent, and what was held with it.
  void Flush();

 private:
  // In a large batch the first responses leave after this many messages, so that the controller
  // sends the next rows while the rest of the batch is being handled. Chosen, not measured: four.
  static constexpr int kHeadStart = 4;

  void OnEvents(std::uint32_t events) override;
  Status HandleFrames(Clock::time_point read_at);
  /// Writes what the socket takes; 0, or errno where it is broken.
  int WriteSome();
  void Close(const Error& why);

  EventLoop& loop_;
  UniqueFd socket_;
  ControllerListener& listener_;
  agent_protocol::FrameDecoder decoder_;
  std::string outgoing_;
  std::size_t written_ = 0;
  bool watching_writes_ = false;
  bool urgent_ = false;
  int held_ = 0;
  int sent_since_flush_ = 0;
};

}  // namespace mlprof::agent
