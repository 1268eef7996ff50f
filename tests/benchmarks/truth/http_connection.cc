#include "tests/benchmarks/truth/http_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace truth {
namespace {

// The value of a header in a lower-case head, "" where it is not there.
std::string Header(const std::string& head, const std::string& name) {
  const std::size_t at = head.find("\r\n" + name + ":");
  if (at == std::string::npos) return "";
  const std::size_t first = head.find_first_not_of(' ', at + name.size() + 3);
  return head.substr(first, head.find("\r\n", first) - first);
}

}  // namespace

bool HttpConnection::Open() {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  timeval limit{};
  limit.tv_sec = endpoint_.timeout.count();
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(endpoint_.port);
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return true;
  Close();
  return false;
}

void HttpConnection::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  input_.clear();
}

bool HttpConnection::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpConnection::ReadMore() {
  std::array<char, 65536> buffer;
  const ssize_t got = recv(fd_, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  input_.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

bool HttpConnection::ReadChunks() {
  while (true) {
    std::size_t end = 0;
    while ((end = input_.find("\r\n")) == std::string::npos) {
      if (!ReadMore()) return false;
    }
    const std::size_t size = std::strtoul(input_.c_str(), nullptr, 16);
    while (input_.size() < end + 2 + size + 2) {
      if (!ReadMore()) return false;
    }
    input_.erase(0, end + 2 + size + 2);
    if (size == 0) return true;
  }
}

bool HttpConnection::ReadBody(const std::string& head) {
  if (Header(head, "transfer-encoding") == "chunked") return ReadChunks();
  const std::string length = Header(head, "content-length");
  if (length.empty()) {
    while (ReadMore()) {
    }
    return true;
  }
  const std::size_t size = std::strtoul(length.c_str(), nullptr, 10);
  while (input_.size() < size) {
    if (!ReadMore()) return false;
  }
  input_.erase(0, size);
  return true;
}

int HttpConnection::ReadResponse(std::string& why) {
  std::size_t end = 0;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
    if (ReadMore()) continue;
    why = input_.empty() ? "no response" : "half a response";
    return 0;
  }
  std::string head = input_.substr(0, end + 2);
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  input_.erase(0, end + 4);
  const int status = head.starts_with("http/1.") ? std::atoi(head.c_str() + 9) : 0;
  if (status == 0) why = "no HTTP";
  if (status != 0 && !ReadBody(head)) {
    why = "half a response";
    return 0;
  }
  if (Header(head, "connection") == "close" || Header(head, "content-length").empty()) Close();
  return status;
}

int HttpConnection::Send(std::string_view method, std::string_view path, std::string_view body,
                         std::string& why) {
  std::string request = std::string(method) + " " + std::string(path) +
                        " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + endpoint_.content_type +
                        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  request += body;
  // A server may close an idle connection just as the next request is sent on it.
  for (bool reused = fd_ >= 0;; reused = false) {
    if (fd_ < 0 && !Open()) {
      why = std::string("cannot connect: ") + std::strerror(errno);
      return 0;
    }
    const int status = Write(request) ? ReadResponse(why) : 0;
    if (status != 0) return status;
    if (why.empty()) why = "cannot send";
    const bool nothing_came = input_.empty();
    Close();
    if (!reused || !nothing_came) return 0;
  }
}

}  // namespace truth
