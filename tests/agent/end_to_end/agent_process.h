// The agent program, started and connected as a runtime does it, and a listener that remembers.
#pragma once

#include <sys/resource.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/runtime/agent_connection.h"

namespace mlprof::server {

inline const char* const kAgent = MLPROF_BINARY_DIR "/bin/mlprof-agent";

/// Keeps what came; Wait… return false after ten seconds.
class Recorder : public AgentListener {
 public:
  void OnResponse(const agent_protocol::Response& response) override;
  void OnSample(const Sample& sample) override;
  void OnReady(const agent_protocol::Ready& ready) override;
  void OnProcessEvent(const agent_protocol::ProcessEvent& event) override;
  void OnProcesses(const agent_protocol::Processes& processes) override;
  void OnClosed(const Error& why) override;

  bool Wait(const std::function<bool()>& condition);
  bool WaitReady();
  bool WaitResponses(std::size_t count);
  std::optional<agent_protocol::ProcessEvent> WaitEvent(agent_protocol::ProcessEvent::Kind kind);
  bool WaitClosed();
  std::optional<agent_protocol::Processes> WaitCensus(std::uint32_t number);

  // Guarded by the recorder's lock while callbacks may come; read them inside Wait or after it.
  std::vector<agent_protocol::Response> responses;
  std::vector<Sample> samples;
  std::optional<agent_protocol::Ready> ready;
  std::vector<agent_protocol::ProcessEvent> events;
  std::optional<agent_protocol::Processes> census;
  std::optional<Error> closed;

 private:
  template <class Change>
  void Note(Change change);

  std::mutex mutex_;
  std::condition_variable changed_;
};

/// One agent with its connection. Destroying it closes the connection and waits for its end.
class AgentProcess {
 public:
  AgentProcess();
  ~AgentProcess();
  AgentConnection& link() { return *connection_; }
  Recorder& recorder() { return recorder_; }
  pid_t pid() const { return pid_; }
  /// Closes the controller's end and waits for the agent; its exit status.
  int Close();

 private:
  Recorder recorder_;
  std::unique_ptr<AgentConnection> connection_;
  pid_t pid_ = -1;
};

/// While it lives, what is started gets a soft limit of so many descriptors, as engines set one.
class SoftDescriptorLimit {
 public:
  explicit SoftDescriptorLimit(rlim_t soft) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{soft, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~SoftDescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  SoftDescriptorLimit(const SoftDescriptorLimit&) = delete;
  SoftDescriptorLimit& operator=(const SoftDescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

/// A TCP port on loopback that nothing uses now.
int FreePort();
/// A Start for `command` that serves on `port`.
agent_protocol::Start StartOf(std::vector<std::string> command, int port);
/// The static server of tests/targets on `port`.
agent_protocol::Start StartOfStaticServer(int port);
/// A Python program as the model; it finds its port in sys.argv[1].
agent_protocol::Start StartOfPython(const std::string& program, int port);

}  // namespace mlprof::server
