// A server with routes that show what reached them, for the tests of the server.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <fstream>
#include <future>
#include <mutex>
#include <stdexcept>

#include "common/http/server.h"
#include "tests/common/http/raw_client.h"

namespace mlprof {

/// A stream that says what a test tells it to.
class ToldStream : public BodyStream {
 public:
  ~ToldStream() override { gone_.set_value(); }
  std::optional<std::string> Read() override;
  void OnReady(std::function<void()> ready) override;

  void Say(const std::string& text);
  void End();
  /// Fulfilled when the server has let go of the stream.
  std::future<void> Gone() { return gone_.get_future(); }

 private:
  void Ring();

  std::mutex mutex_;
  std::string said_;
  bool ended_ = false;
  std::function<void()> ready_;
  std::promise<void> gone_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest();
  ~HttpServerTest() override;

  void StartServer();
  RawClient Connect() const { return RawClient(server_->port()); }
  /// What the server answers to these bytes until it closes.
  std::string ResponseTo(std::string_view bytes) const;
  std::size_t SpooledFiles() const;
  void AddRoute(const char* method, const char* pattern, HttpHandler handler) {
    router_.Add({method, pattern, {BodyPolicy::Kind::kNone, {}}, std::move(handler)});
  }

  std::filesystem::path directory_;
  HttpServerOptions options_;
  HttpServerHooks hooks_;
  std::weak_ptr<ToldStream> stream_;  // of the newest GET /stream
  std::promise<void> stream_made_;
  std::promise<void> blocked_;  // GET /block has begun
  std::promise<void> unblock_;
  std::atomic<int> handled_ = 0;
  std::unique_ptr<HttpServer> server_;

 private:
  void AddRoutes();
  Router router_;
};

inline HttpResponse Text(std::string text) {
  return TextResponse(200, "text/plain", std::move(text));
}

inline HttpResponse DescribeUpload(const HttpRequest& request) {
  const auto& upload = std::get<SpooledBody>(request.body);
  const bool there =
      std::filesystem::file_size(*upload.file) == static_cast<std::uintmax_t>(upload.size.count());
  return Text(std::to_string(upload.size.count()) + " " + upload.sha256 + (there ? " there" : ""));
}

inline std::optional<std::string> ToldStream::Read() {
  const std::lock_guard lock(mutex_);
  if (said_.empty() && ended_) return std::nullopt;
  return std::exchange(said_, {});
}

inline void ToldStream::OnReady(std::function<void()> ready) {
  const std::lock_guard lock(mutex_);
  if (!said_.empty() || ended_) return ready();
  ready_ = std::move(ready);
}

inline void ToldStream::Say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  said_ += text;
  Ring();
}

inline void ToldStream::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  Ring();
}

inline void ToldStream::Ring() {
  if (ready_) std::exchange(ready_, nullptr)();
}

inline HttpServerTest::HttpServerTest() {
  std::string name = (std::filesystem::temp_directory_path() / "mlprof-http-XXXXXX").string();
  directory_ = ::mkdtemp(name.data());
  options_.spool_directory = directory_ / "spool";
  std::filesystem::create_directory(options_.spool_directory);
  std::ofstream(directory_ / "file") << std::string(600'000, 'f');
  std::ofstream(directory_ / "digits") << "0123456789";
  hooks_.refuse = [](int status, const std::string& detail, const HttpRequest&) {
    return TextResponse(status, "application/problem+json", "refused: " + detail);
  };
  AddRoutes();
}

inline HttpServerTest::~HttpServerTest() {
  server_.reset();
  std::filesystem::remove_all(directory_);
}

inline void HttpServerTest::AddRoutes() {
  using Kind = BodyPolicy::Kind;
  const auto add = [this](const char* method, const char* pattern, BodyPolicy body,
                          HttpHandler handler) {
    router_.Add({method, pattern, body, [this, handler = std::move(handler)](const auto& request) {
                   ++handled_;
                   return handler(request);
                 }});
  };
  const BodyPolicy none{Kind::kNone, {}};
  add("GET", "/text", none, [](const auto&) { return Text("text"); });
  add("POST", "/echo", {Kind::kBuffered, Bytes(1000)}, [](const HttpRequest& request) {
    return Text(request.BodyText() + request.headers.Get("X-Late").value_or(""));
  });
  add("POST", "/ignore", none, [](const HttpRequest& request) { return Text(request.BodyText()); });
  add("POST", "/upload", {Kind::kSpooled, MiB(1)}, DescribeUpload);
  add("GET", "/models/{id}", none, [](const HttpRequest& request) {
    return Text(request.path_parameters.at("id") + "@" + request.Query("workspace").value_or(""));
  });
  add("GET", "/file", none, [this](const auto&) {
    HttpResponse response;
    response.body = FileBody{directory_ / "file"};
    return response;
  });
  add("GET", "/part-of-file", none, [this](const auto&) {
    HttpResponse response;
    response.status = 206;
    response.body = FileBody{directory_ / "digits", 3, 4};
    return response;
  });
  add("GET", "/behind-file", none, [this](const auto&) {
    HttpResponse response;
    response.body = FileBody{directory_ / "digits", 11, {}};
    return response;
  });
  add("GET", "/missing-file", none, [this](const auto&) {
    HttpResponse response;
    response.body = FileBody{directory_ / "missing"};
    return response;
  });
  add("GET", "/big", none, [](const auto&) { return Text(std::string(16 << 20, 'b')); });
  add("DELETE", "/text", none, [](const auto&) { return TextResponse(204, "text/plain", ""); });
  add("GET", "/throw", none,
      [](const auto&) -> HttpResponse { throw std::runtime_error("a mistake"); });
  add("GET", "/block", none, [this](const auto&) {
    blocked_.set_value();
    unblock_.get_future().wait();
    return Text("unblocked");
  });
  add("GET", "/stream", none, [this](const auto&) {
    HttpResponse response;
    auto stream = std::make_shared<ToldStream>();
    stream_ = stream;
    response.headers.Set("Content-Type", "text/event-stream");
    response.body = std::static_pointer_cast<BodyStream>(std::move(stream));
    stream_made_.set_value();
    return response;
  });
}

inline void HttpServerTest::StartServer() {
  auto started = HttpServer::Start(options_, router_, hooks_);
  ASSERT_TRUE(started) << started.error().message();
  server_ = std::move(*started);
}

inline std::string HttpServerTest::ResponseTo(std::string_view bytes) const {
  RawClient client(server_->port());
  client.Send(bytes);
  client.ShutdownSend();
  return client.ReadToEnd();
}

inline std::size_t HttpServerTest::SpooledFiles() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(options_.spool_directory)) {
    ++count;
  }
  return count;
}

}  // namespace mlprof
