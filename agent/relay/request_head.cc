#include "agent/relay/request_head.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "agent/relay/http_text.h"

namespace mlprof::agent {
namespace {

bool IsPath(std::string_view path) {
  return path.starts_with('/') && std::none_of(path.begin(), path.end(), [](char c) {
           return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
         });
}

bool IsRelaysOwn(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOwn = {"content-length", "transfer-encoding",
                                                    "connection", "expect", "upgrade"};
  return std::any_of(kOwn.begin(), kOwn.end(),
                     [&](std::string_view own) { return EqualsIgnoringCase(name, own); });
}

}  // namespace

Result<RequestHead> RequestHead::ForRows(const agent_protocol::Start& start) {
  if (!IsToken(start.method)) return Fail(InvalidArgument("not an HTTP method: " + start.method));
  if (!IsPath(start.path)) return Fail(InvalidArgument("not an HTTP path: " + start.path));
  RequestHead head;
  head.is_head_request_ = start.method == "HEAD";
  head.fixed_ = start.method + " " + start.path + " HTTP/1.1\r\n";
  bool has_host = false;
  for (const auto& [name, value] : start.headers) {
    if (!IsToken(name) || !IsFieldText(value) || IsRelaysOwn(name)) {
      return Fail(InvalidArgument("not a header to send with rows: " + name));
    }
    has_host |= EqualsIgnoringCase(name, "host");
    head.fixed_ += name + ": " + value + "\r\n";
  }
  if (!has_host) head.fixed_ += "Host: localhost\r\n";
  return head;
}

Result<RequestHead> RequestHead::ForReadiness(const agent_protocol::Start& start) {
  const std::string path = start.readiness_path.empty() ? "/" : start.readiness_path;
  if (!IsPath(path)) return Fail(InvalidArgument("not an HTTP path: " + path));
  RequestHead head;
  head.announces_length_ = false;
  head.fixed_ = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  return head;
}

void RequestHead::AppendTo(std::string& out, std::size_t body_bytes) const {
  out += fixed_;
  if (announces_length_) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof(digits), body_bytes).ptr;
    out += "Content-Length: ";
    out.append(digits, end);
    out += "\r\n";
  }
  out += "\r\n";
}

}  // namespace mlprof::agent
