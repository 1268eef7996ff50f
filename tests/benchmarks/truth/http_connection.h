// A blocking HTTP/1.1 connection to one server, as little of it as a replay needs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace truth {

struct Endpoint {
  std::uint16_t port = 8080;  // of 127.0.0.1
  std::string method = "POST";
  std::string path = "/";
  std::string content_type = "text/plain";
  std::chrono::seconds timeout{60};  // of one response
};

/// Kept alive between requests where the server allows it. One thread at a time.
class HttpConnection {
 public:
  explicit HttpConnection(const Endpoint& endpoint) : endpoint_(endpoint) {}
  ~HttpConnection() { Close(); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// The response's status once all of it has come; 0 where none came whole, and `why` says why.
  int Send(std::string_view method, std::string_view path, std::string_view body, std::string& why);

  /// The next request has a connection of its own.
  void Close();

 private:
  bool Open();
  bool Write(std::string_view bytes);
  bool ReadMore();
  int ReadResponse(std::string& why);
  bool ReadBody(const std::string& head);
  bool ReadChunks();

  const Endpoint& endpoint_;
  int fd_ = -1;
  std::string input_;
};

}  // namespace truth
