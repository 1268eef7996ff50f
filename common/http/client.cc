#include "common/http/client.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/http/client_socket.h"
#include "common/http/framing_gate.h"
#include "common/http/reply_parser.h"

namespace mlprof {
namespace {

constexpr std::size_t kPiece = 128 << 10;

/// The request's bytes in order: a text, then perhaps a file.
class Outgoing {
 public:
  explicit Outgoing(std::string text) : text_(std::move(text)) {}
  ~Outgoing() {
    if (file_ >= 0) ::close(file_);
  }
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  /// The file's size.
  Result<std::uint64_t> OpenFile(const std::filesystem::path& path) {
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status = {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) {
      return Fail(FromErrno(errno, "cannot read " + path.string()));
    }
    file_left_ = static_cast<std::uint64_t>(status.st_size);
    return file_left_;
  }
  void Prepend(const std::string& head) { text_.insert(0, head); }

  bool empty() const { return sent_ == text_.size() && file_left_ == 0; }
  void Drop() {
    sent_ = text_.size();
    file_left_ = 0;
  }
  /// Sends what the socket takes now.
  Status SendSome(ClientSocket& socket) {
    if (sent_ == text_.size()) MLPROF_TRY(ReadFile());
    const auto taken = socket.Write(std::string_view(text_).substr(sent_));
    // A peer that takes no more of the request may have answered already. The rest is dropped and
    // the response read: it says more than "broken pipe".
    if (!taken) Drop();
    if (taken) sent_ += *taken;
    return {};
  }

 private:
  Status ReadFile() {
    text_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, file_left_)));
    sent_ = 0;
    ssize_t count = 0;
    do {
      count = ::read(file_, text_.data(), text_.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) return Fail(FromErrno(errno, "cannot read the file to send"));
    if (count == 0) return Fail(Internal("the file to send became shorter"));
    text_.resize(static_cast<std::size_t>(count));
    file_left_ -= static_cast<std::uint64_t>(count);
    return {};
  }

  std::string text_;
  std::size_t sent_ = 0;  // of text_
  int file_ = -1;
  std::uint64_t file_left_ = 0;
};

std::string HostOf(const UnixEndpoint&) { return "localhost"; }
std::string HostOf(const TcpEndpoint& endpoint) {
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return (v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

Result<std::string> RequestHeadText(const HttpEndpoint& endpoint, const HttpCall& call,
                                    std::uint64_t body_size) {
  HttpHeaders headers = call.headers;
  if (!headers.Get("Host")) {
    headers.Set("Host", std::visit([](const auto& where) { return HostOf(where); }, endpoint));
  }
  headers.Set("Connection", "close");
  headers.Remove("Transfer-Encoding");
  headers.Remove("Content-Length");
  if (body_size > 0 || (call.method != "GET" && call.method != "HEAD")) {
    headers.Set("Content-Length", std::to_string(body_size));
  }
  std::string head = call.method + " " + call.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers.all()) head += name + ": " + value + "\r\n";
  head += "\r\n";
  const auto judged = JudgeHead(head);
  if (!judged) {
    return Fail(InvalidArgument("this call cannot be put into HTTP: " + judged.error().reason));
  }
  // Line ends in a target or a value would make it another request.
  if (judged->target != call.target || judged->headers.all().size() != headers.all().size()) {
    return Fail(InvalidArgument("this call cannot be put into HTTP: it holds a line end"));
  }
  return head;
}

Result<HttpReply> Exchange(const HttpEndpoint& endpoint, Outgoing& outgoing, ReplyParser& parser,
                           Deadline deadline, std::stop_token stop) {
  MLPROF_LET(socket, ClientSocket::Connect(endpoint, deadline, std::move(stop)));
  std::vector<char> piece(kPiece);
  while (!parser.done()) {
    MLPROF_LET(ready, socket.Wait(!outgoing.empty(), deadline));
    if (ready.readable) {
      MLPROF_LET(count, socket.Read(piece.data(), piece.size()));
      if (count == 0) MLPROF_TRY(parser.End());
      if (count.has_value() && *count > 0) MLPROF_TRY(parser.Feed({piece.data(), *count}));
    }
    if (ready.writable && !outgoing.empty()) MLPROF_TRY(outgoing.SendSome(socket));
  }
  return parser.TakeReply();
}

Error InContext(const HttpCall& call, const Error& error) {
  return error.WithContext(call.method + " " + call.target);
}

Result<HttpReply> SendText(const HttpEndpoint& endpoint, const HttpCall& call,
                           const std::function<bool(std::string_view)>& on_chunk, Deadline deadline,
                           std::stop_token stop) {
  const auto head = RequestHeadText(endpoint, call, call.body.size());
  if (!head) return Fail(InContext(call, head.error()));
  Outgoing outgoing(*head + call.body);
  ReplyParser parser(call.method == "HEAD", call.max_response, on_chunk);
  auto reply = Exchange(endpoint, outgoing, parser, deadline, std::move(stop));
  if (!reply) return Fail(InContext(call, reply.error()));
  return reply;
}

}  // namespace

Result<HttpReply> CallHttp(const HttpEndpoint& endpoint, const HttpCall& call, Deadline deadline,
                           std::stop_token stop) {
  return SendText(endpoint, call, nullptr, deadline, std::move(stop));
}

Result<HttpReply> StreamHttp(const HttpEndpoint& endpoint, const HttpCall& call,
                             const std::function<bool(std::string_view)>& on_chunk,
                             Deadline deadline, std::stop_token stop) {
  return SendText(endpoint, call, on_chunk, deadline, std::move(stop));
}

Result<HttpReply> UploadHttp(const HttpEndpoint& endpoint, const HttpCall& call,
                             const std::filesystem::path& body_file, Deadline deadline,
                             std::stop_token stop) {
  Outgoing outgoing{std::string()};
  const auto size = outgoing.OpenFile(body_file);
  if (!size) return Fail(InContext(call, size.error()));
  const auto head = RequestHeadText(endpoint, call, *size);
  if (!head) return Fail(InContext(call, head.error()));
  outgoing.Prepend(*head);
  ReplyParser parser(call.method == "HEAD", call.max_response, nullptr);
  auto reply = Exchange(endpoint, outgoing, parser, deadline, std::move(stop));
  if (!reply) return Fail(InContext(call, reply.error()));
  return reply;
}

}  // namespace mlprof
