#include "tests/agent/end_to_end/agent_process.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace mlprof::server {

using namespace std::chrono_literals;

template <class Change>
void Recorder::Note(Change change) {
  {
    const std::lock_guard lock(mutex_);
    change();
  }
  changed_.notify_all();
}

void Recorder::OnResponse(const agent_protocol::Response& response) {
  Note([&] { responses.push_back(response); });
}
void Recorder::OnSample(const Sample& sample) {
  Note([&] { samples.push_back(sample); });
}
void Recorder::OnReady(const agent_protocol::Ready& value) {
  Note([&] { ready = value; });
}
void Recorder::OnProcessEvent(const agent_protocol::ProcessEvent& event) {
  Note([&] { events.push_back(event); });
}
void Recorder::OnProcesses(const agent_protocol::Processes& processes) {
  Note([&] { census = processes; });
}
void Recorder::OnClosed(const Error& why) {
  Note([&] { closed = why; });
}

bool Recorder::Wait(const std::function<bool()>& condition) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, 10s, condition);
}

bool Recorder::WaitReady() {
  return Wait([this] { return ready.has_value(); });
}
bool Recorder::WaitResponses(std::size_t count) {
  return Wait([this, count] { return responses.size() >= count; });
}
std::optional<agent_protocol::Processes> Recorder::WaitCensus(std::uint32_t number) {
  std::optional<agent_protocol::Processes> found;
  Wait([&] {
    if (census && census->number == number) found = census;
    return found.has_value();
  });
  return found;
}
bool Recorder::WaitClosed() {
  return Wait([this] { return closed.has_value(); });
}

std::optional<agent_protocol::ProcessEvent> Recorder::WaitEvent(
    agent_protocol::ProcessEvent::Kind kind) {
  std::optional<agent_protocol::ProcessEvent> found;
  Wait([&] {
    for (const auto& event : events) {
      if (event.kind == kind) found = event;
    }
    return found.has_value();
  });
  const std::lock_guard lock(mutex_);
  for (const auto& event : events) {
    if (!found) ADD_FAILURE() << "instead: " << Name(event.kind) << ", " << event.detail;
  }
  return found;
}

AgentProcess::AgentProcess() {
  std::string folder = (std::filesystem::temp_directory_path() / "mlprof-agent-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) std::abort();
  const std::string path = folder + "/agent.sock";
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener.get(), 1) != 0) {
    std::abort();
  }
  const std::string program = MLPROF_BINARY_DIR "/bin/mlprof-agent";
  pid_ = ::fork();
  if (pid_ == 0) {
    ::execl(program.c_str(), "mlprof-agent", "--socket", path.c_str(), nullptr);
    ::_exit(127);
  }
  pollfd waiting{listener.get(), POLLIN, 0};
  if (::poll(&waiting, 1, 10'000) != 1) std::abort();
  const int accepted = ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
  std::filesystem::remove_all(folder);
  auto connection = AgentConnection::Adopt(accepted, Deadline::After(10s));
  if (!connection) std::abort();
  connection_ = std::move(*connection);
  connection_->Listen(&recorder_);
}

AgentProcess::~AgentProcess() { Close(); }

int AgentProcess::Close() {
  connection_.reset();
  int status = 0;
  if (pid_ > 0) ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return status;
}

int FreePort() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), generic, size) != 0) return 0;
  ::getsockname(socket.get(), generic, &size);
  return ntohs(address.sin_port);
}

agent_protocol::Start StartOf(std::vector<std::string> command, int port) {
  agent_protocol::Start start;
  start.command = std::move(command);
  start.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", "/tmp"}};
  start.run_as_root = true;
  start.port = port;
  start.headers = {{"Content-Type", "application/json"}};
  start.start_timeout = 10s;
  start.request_timeout = 5s;
  return start;
}

agent_protocol::Start StartOfStaticServer(int port) {
  return StartOf({MLPROF_BINARY_DIR "/bin/target-static-server", std::to_string(port)}, port);
}

agent_protocol::Start StartOfPython(const std::string& program, int port) {
  return StartOf({"python3", "-S", "-c", program, std::to_string(port)}, port);
}

}  // namespace mlprof::server
