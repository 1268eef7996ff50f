#include "tests/fakes/fake_docker.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace mlprof::fakes {
namespace {

constexpr std::chrono::milliseconds kBetweenBytes{20};

std::string MakeFolder() {
  char name[] = "/tmp/fake-docker.XXXXXX";
  return ::mkdtemp(name);
}

std::optional<std::string> ReadUntil(int fd, std::string& buffer, std::size_t size) {
  char piece[4096];
  while (buffer.size() < size) {
    const ssize_t count = ::read(fd, piece, sizeof piece);
    if (count <= 0) return std::nullopt;
    buffer.append(piece, static_cast<std::size_t>(count));
  }
  return buffer;
}

std::optional<FakeRequest> ReadRequest(int fd) {
  std::string buffer;
  std::size_t head = std::string::npos;
  while ((head = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadUntil(fd, buffer, buffer.size() + 1)) return std::nullopt;
  }
  std::size_t length = 0;
  const std::size_t field = buffer.find("Content-Length: ");
  if (field < head) length = std::strtoul(buffer.c_str() + field + 16, nullptr, 10);
  if (!ReadUntil(fd, buffer, head + 4 + length)) return std::nullopt;
  FakeRequest request;
  const std::size_t space = buffer.find(' ');
  request.method = buffer.substr(0, space);
  request.target = buffer.substr(space + 1, buffer.find(' ', space + 1) - space - 1);
  if (request.target.rfind("/v1.", 0) == 0) {
    const std::size_t slash = request.target.find('/', 1);
    request.version = request.target.substr(2, slash - 2);
    request.target.erase(0, slash);
  }
  request.body = buffer.substr(head + 4, length);
  return request;
}

// False where the peer has gone.
bool Write(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void WriteSlowly(int fd, const std::string& text, const std::stop_token& stop) {
  for (std::size_t at = 0; at < text.size() && !stop.stop_requested(); ++at) {
    if (!Write(fd, text.substr(at, 1))) return;
    ::poll(nullptr, 0, static_cast<int>(kBetweenBytes.count()));
  }
}

}  // namespace

FakeDocker::FakeDocker(const std::string& api_version)
    : api_version_(api_version),
      folder_(MakeFolder()),
      listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket().c_str(), sizeof address.sun_path - 1);
  if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_.get(), 16) != 0) {
    std::abort();
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
}

FakeDocker::~FakeDocker() {
  thread_.request_stop();
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void FakeDocker::On(const std::string& beginning, std::vector<FakeResponse> responses) {
  const std::lock_guard lock(mutex_);
  responses_[beginning] = std::move(responses);
}

std::vector<FakeRequest> FakeDocker::Requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<std::string> FakeDocker::Calls() const {
  std::vector<std::string> calls;
  for (const FakeRequest& request : Requests()) {
    calls.push_back(request.method + " " + request.target.substr(0, request.target.find('?')));
  }
  return calls;
}

void FakeDocker::Serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) ServeOne(connection.get(), stop);
  }
}

FakeResponse FakeDocker::ResponseTo(const FakeRequest& request) {
  const std::lock_guard lock(mutex_);
  const std::string call = request.method + " " + request.target;
  if (request.target == "/_ping" && !responses_.contains(call)) {
    return {200, "OK", FakeResponse::Way::kWhole};
  }
  requests_.push_back(request);
  std::vector<FakeResponse>* best = nullptr;
  for (auto& [beginning, responses] : responses_) {  // in order: longer ones of the same kind later
    if (call.rfind(beginning, 0) == 0) best = &responses;
  }
  if (best == nullptr) return {404, R"({"message":"nothing scripted"})", FakeResponse::Way::kWhole};
  const FakeResponse response = best->front();
  if (best->size() > 1) best->erase(best->begin());
  return response;
}

void FakeDocker::ServeOne(int fd, const std::stop_token& stop) {
  const std::optional<FakeRequest> request = ReadRequest(fd);
  if (!request) return;
  const FakeResponse response = ResponseTo(*request);
  const std::string text =
      "HTTP/1.1 " + std::to_string(response.status) + " X\r\nApi-Version: " + api_version_ +
      "\r\nConnection: close\r\nContent-Length: " + std::to_string(response.body.size()) +
      "\r\n\r\n" + response.body;
  switch (response.way) {
    case FakeResponse::Way::kWhole: Write(fd, text); return;
    case FakeResponse::Way::kReset: return;
    case FakeResponse::Way::kGarbled: Write(fd, "\x01\x02 this is not HTTP\r\n\r\n"); return;
    case FakeResponse::Way::kHalf:
      Write(fd, std::string_view(text).substr(0, text.size() / 2));
      break;
    case FakeResponse::Way::kSlow: WriteSlowly(fd, text, stop); return;
    case FakeResponse::Way::kNever: break;
  }
  kept_open_.emplace_back(::dup(fd));
}

}  // namespace mlprof::fakes
