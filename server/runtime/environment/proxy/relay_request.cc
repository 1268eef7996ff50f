#include "server/runtime/environment/proxy/relay_request.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "common/http/message.h"
#include "server/runtime/environment/text_lines.h"

namespace mlprof::server::environment {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHttp = "http://";
// They speak of this connection, or are said anew.
constexpr std::string_view kDropped[] = {
    "connection", "proxy-connection", "keep-alive", "proxy-authorization", "te",
    "trailer",    "upgrade",          "host",       "content-length",      "expect"};

struct Header {
  std::string_view name;
  std::string_view value;
};

bool IsVisible(char c) { return c > 0x20 && c < 0x7f; }

bool IsTokenCharacter(char c) {
  return IsVisible(c) && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter);
}

bool IsFieldText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  });
}

bool IsOneOf(std::string_view name, const std::string_view* begin, const std::string_view* end) {
  return std::any_of(begin, end,
                     [&](std::string_view known) { return EqualsIgnoringCase(name, known); });
}

// The lines before the empty one; nullopt where one ends in anything but CR LF.
std::optional<std::vector<std::string_view>> LinesOf(std::string_view head) {
  std::vector<std::string_view> lines;
  while (!head.starts_with(kLineEnd)) {
    const std::size_t end = head.find(kLineEnd);
    if (end == std::string_view::npos) return std::nullopt;
    if (!IsFieldText(head.substr(0, end))) return std::nullopt;
    lines.push_back(head.substr(0, end));
    head.remove_prefix(end + kLineEnd.size());
  }
  if (head != kLineEnd || lines.empty()) return std::nullopt;
  return lines;
}

std::optional<Header> HeaderOf(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) return std::nullopt;
  return Header{line.substr(0, colon), Trimmed(line.substr(colon + 1))};
}

bool AnnouncesBody(const Header& header) {
  return EqualsIgnoringCase(header.name, "transfer-encoding") ||
         (EqualsIgnoringCase(header.name, "content-length") && header.value != "0");
}

Error Malformed(const std::string& why) { return InvalidArgument("mlprof's proxy relay: " + why); }

Result<RelayRequest> Tunnel(std::string_view authority) {
  const auto target = ParseHostPort(authority, 0);
  if (!target || target->port == 0) return Fail(Malformed("CONNECT wants HOST:PORT"));
  const std::string place = TextOf(*target);
  return RelayRequest{true, *target, "CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n"};
}

Result<RelayRequest> Fetch(std::string_view method, std::string_view url) {
  if (!EqualsIgnoringCase(url.substr(0, kHttp.size()), kHttp)) {
    return Fail(Malformed("only http:// URLs are fetched; others want CONNECT"));
  }
  url.remove_prefix(kHttp.size());
  const std::size_t end = std::min(url.find_first_of("/?#"), url.size());
  std::string path(url.substr(end));
  const auto target = ParseHostPort(url.substr(0, end), 80);
  if (!target || !std::all_of(path.begin(), path.end(), IsVisible) ||
      path.find('#') != std::string::npos) {
    return Fail(Malformed("this is no URL that can be fetched"));
  }
  if (!path.starts_with('/')) path.insert(0, "/");
  std::string place = TextOf(*target);
  if (target->port == 80) place.resize(place.size() - std::string_view(":80").size());
  return RelayRequest{
      false, *target,
      std::string(method) + " http://" + place + path + " HTTP/1.1\r\nHost: " + place + "\r\n"};
}

Result<RelayRequest> FromRequestLine(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = line.rfind(' ');
  if (first == std::string_view::npos || first == second) {
    return Fail(Malformed("the request line is malformed"));
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Fail(Malformed("only HTTP/1.0 and HTTP/1.1 are spoken"));
  }
  if (method == "CONNECT") return Tunnel(target);
  if (method == "GET" || method == "HEAD") return Fetch(method, target);
  return Fail(Malformed("only CONNECT, GET and HEAD are lent to packages"));
}

}  // namespace

Result<RelayRequest> ParseRelayRequest(std::string_view head) {
  const auto lines = LinesOf(head);
  if (!lines) return Fail(Malformed("the request's head is malformed"));
  Result<RelayRequest> request = FromRequestLine(lines->front());
  if (!request) return request;
  for (std::size_t i = 1; i < lines->size(); ++i) {
    const auto header = HeaderOf((*lines)[i]);
    if (!header) return Fail(Malformed("a header is malformed"));
    if (AnnouncesBody(*header)) return Fail(Malformed("requests have no body here"));
    // To open a tunnel the proxy needs to know nothing more.
    if (request->tunnel || IsOneOf(header->name, std::begin(kDropped), std::end(kDropped)))
      continue;
    request->head += std::string(header->name) + ": " + std::string(header->value) + "\r\n";
  }
  if (!request->tunnel) request->head += "Connection: close\r\nProxy-Connection: close\r\n";
  return request;
}

int StatusOf(std::string_view head) {
  constexpr std::size_t kStatusAt = sizeof("HTTP/1.1 ") - 1;
  if (!head.starts_with("HTTP/1.") || head.size() < kStatusAt + 3) return 0;
  int status = 0;
  const char* const begin = head.data() + kStatusAt;
  const auto [end, error] = std::from_chars(begin, begin + 3, status);
  return error == std::errc() && end == begin + 3 && status >= 100 ? status : 0;
}

std::string ReasonOf(std::string_view head) {
  constexpr std::size_t kReasonAt = sizeof("HTTP/1.1 200 ") - 1;
  const std::string_view line = head.substr(0, head.find(kLineEnd));
  std::string reason(line.substr(std::min(kReasonAt, line.size())));
  std::erase_if(reason, [](char c) { return c != ' ' && !IsVisible(c); });
  return reason;
}

}  // namespace mlprof::server::environment
