// The controller's end of one agent connection. Calls come back on the link's own thread, in order.
#pragma once

#include <memory>

#include "common/agent_protocol/messages.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/runtime/forward/port_stream.h"

namespace mlprof::server {

/// Receives what the agent says. Methods run on the link's thread and must not block for long.
class AgentListener {
 public:
  virtual ~AgentListener() = default;
  virtual void OnResponse(const agent_protocol::Response& response) = 0;
  virtual void OnSample(const Sample& sample) = 0;
  virtual void OnReady(const agent_protocol::Ready& ready) = 0;
  virtual void OnProcessEvent(const agent_protocol::ProcessEvent& event) = 0;
  /// The answer to a census; nobody else need listen to it.
  virtual void OnProcesses(const agent_protocol::Processes& /*processes*/) {}
  /// The connection ended or broke the protocol. Nothing follows.
  virtual void OnClosed(const Error& why) = 0;
};

/// Thread-safe.
class AgentLink {
 public:
  virtual ~AgentLink() = default;
  /// Installs the listener (null: none) and waits until no callback of the former one is running.
  /// What was said without a listener is dropped, except that a Closed state is told at once.
  virtual void Listen(AgentListener* listener) = 0;
  virtual void Start(const agent_protocol::Start& start) = 0;
  /// Counts for the rows that are sent behind it.
  virtual void SetConnections(const agent_protocol::Connections& connections) = 0;
  /// `row.due` on this machine's clock. Rows leave in the order in which they are sent.
  virtual void SendRow(agent_protocol::Row row) = 0;
  /// Answered by OnProcesses.
  virtual void TakeCensus(const agent_protocol::CensusQuestion& question) = 0;
  virtual void Stop(const agent_protocol::Stop& stop) = 0;
  /// Connects to `port` on the container's loopback, 127.0.0.1 or ::1. Bytes that are carried so
  /// give way to rows. kInvalidArgument for no port, kUnavailable with the reason where nothing
  /// takes the connection or the link is over, kResourceExhausted where too many are open. Waits,
  /// so never inside a callback.
  virtual Result<std::unique_ptr<PortStream>> Connect(int port, Deadline deadline) = 0;
};

}  // namespace mlprof::server
