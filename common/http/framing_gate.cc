#include "common/http/framing_gate.h"

#include <algorithm>
#include <charconv>

#include "common/text/ascii.h"

namespace mlprof {
namespace {

using Judgement = tl::expected<void, GateRefusal>;

tl::unexpected<GateRefusal> Refuse(int status, std::string reason) {
  return tl::unexpected<GateRefusal>(GateRefusal{status, std::move(reason)});
}

bool IsAlphanumeric(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsTokenCharacter(char c) {
  return IsAlphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter);
}
bool IsValueCharacter(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}
bool IsTargetCharacter(char c) { return c > 0x20 && c < 0x7F && c != '#'; }
bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Takes the next line off `block`; its CRLF is there because ScanHead found no other line end.
std::string_view TakeLine(std::string_view& block) {
  const std::size_t end = block.find("\r\n");
  const std::string_view line = block.substr(0, end);
  block.remove_prefix(end + 2);
  return line;
}

Judgement JudgeVersion(std::string_view version, RequestHead& head) {
  const bool well_formed = version.size() == 8 && version.starts_with("HTTP/") &&
                           IsDigit(version[5]) && version[6] == '.' && IsDigit(version[7]);
  if (!well_formed) return Refuse(400, "the request line does not end in an HTTP version");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
  }
  head.minor_version = version[7] - '0';
  return {};
}

Judgement JudgeRequestLine(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Refuse(400, "the request line is not METHOD TARGET VERSION");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!IsToken(method)) return Refuse(400, "the method is not a token");
  if (auto version = JudgeVersion(line.substr(last + 1), head); !version) return version;
  if (target.size() > kMaxTargetBytes) return Refuse(414, "the target is longer than 8 KiB");
  if (target.empty() || target.front() != '/') {
    return Refuse(400, "the target is not in origin form (/path?query)");
  }
  if (!std::all_of(target.begin(), target.end(), IsTargetCharacter)) {
    return Refuse(400, "the target has a character that must be percent-encoded");
  }
  head.method = method;
  head.target = target;
  return {};
}

Judgement JudgeFields(std::string_view block, RequestHead& head) {
  for (std::string_view line = TakeLine(block); !line.empty(); line = TakeLine(block)) {
    if (head.headers.all().size() == kMaxHeaderFields) {
      return Refuse(431, "more than 100 header fields");
    }
    if (line.front() == ' ' || line.front() == '\t') {
      return Refuse(400, "a header field is folded over several lines");
    }
    if (!IsFieldLine(line)) return Refuse(400, "a header field is malformed");
    const std::size_t colon = line.find(':');
    head.headers.Add(std::string(line.substr(0, colon)),
                     std::string(TrimBlanks(line.substr(colon + 1))));
  }
  return {};
}

bool IsPort(std::string_view text) {
  return text.empty() || (text.front() == ':' && text.size() <= 6 && AllDigits(text.substr(1)));
}

bool IsHost(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos || end < 3) return false;
    return IsPort(host.substr(end + 1)) &&
           std::all_of(host.begin() + 1, host.begin() + static_cast<std::ptrdiff_t>(end),
                       [](char c) { return IsAlphanumeric(c) || c == ':' || c == '.'; });
  }
  const std::size_t end = std::min(host.find(':'), host.size());
  return end > 0 && end <= 255 && IsPort(host.substr(end)) &&
         std::all_of(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
           return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
         });
}

Judgement JudgeHost(const RequestHead& head) {
  const auto hosts = head.headers.GetAll("Host");
  if (hosts.size() > 1) return Refuse(400, "more than one Host field");
  if (hosts.empty() && head.minor_version == 1) return Refuse(400, "the Host field is missing");
  if (!hosts.empty() && !IsHost(hosts.front())) return Refuse(400, "the Host field is malformed");
  return {};
}

Judgement JudgeTransferEncoding(RequestHead& head) {
  const auto codings = head.headers.GetAll("Transfer-Encoding");
  if (codings.empty()) return {};
  if (codings.size() > 1) return Refuse(400, "more than one Transfer-Encoding field");
  if (head.minor_version == 0) return Refuse(400, "Transfer-Encoding in an HTTP/1.0 request");
  if (head.headers.Get("Content-Length")) {
    return Refuse(400, "both Transfer-Encoding and Content-Length");
  }
  if (!EqualsIgnoringCase(codings.front(), "chunked")) {
    return Refuse(501, "a transfer coding other than chunked");
  }
  head.chunked = true;
  return {};
}

Judgement JudgeContentLength(RequestHead& head) {
  const auto lengths = head.headers.GetAll("Content-Length");
  if (lengths.empty()) return {};
  if (lengths.size() > 1) return Refuse(400, "more than one Content-Length field");
  const std::string& text = lengths.front();
  // 18 digits keep every sum of lengths far from overflow.
  if (!AllDigits(text) || text.size() > 18) return Refuse(400, "Content-Length is not a number");
  std::uint64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  head.content_length = length;
  return {};
}

void ReadConnection(RequestHead& head) {
  bool close = false;
  bool keep = false;
  for (const std::string& value : head.headers.GetAll("Connection")) {
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view option = TrimBlanks(rest.substr(0, end));
      close = close || EqualsIgnoringCase(option, "close");
      keep = keep || EqualsIgnoringCase(option, "keep-alive");
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  head.keep_alive = !close && (head.minor_version == 1 || keep);
}

}  // namespace

bool IsFieldLine(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && IsToken(line.substr(0, colon)) &&
         std::all_of(line.begin() + static_cast<std::ptrdiff_t>(colon) + 1, line.end(),
                     IsValueCharacter);
}

HeadScan ScanHead(std::string_view bytes, std::size_t from) {
  for (std::size_t i = from; i < bytes.size(); ++i) {
    const bool after_cr = i > 0 && bytes[i - 1] == '\r';
    if ((bytes[i] == '\n') != after_cr || bytes[i] == '\0') return {HeadScan::State::kBad, i};
    if (bytes[i] == '\n' && i >= 3 && bytes[i - 2] == '\n') {
      return {HeadScan::State::kComplete, i + 1};
    }
  }
  return {};
}

tl::expected<RequestHead, GateRefusal> JudgeHead(std::string_view block) {
  const HeadScan scan = ScanHead(block, 0);
  if (scan.state != HeadScan::State::kComplete || scan.end != block.size()) {
    return Refuse(400, "the header has a bare CR, a bare LF or a NUL");
  }
  RequestHead head;
  if (auto line = JudgeRequestLine(TakeLine(block), head); !line) {
    return tl::unexpected<GateRefusal>(line.error());
  }
  if (auto fields = JudgeFields(block, head); !fields) {
    return tl::unexpected<GateRefusal>(fields.error());
  }
  for (const Judgement& judgement :
       {JudgeHost(head), JudgeTransferEncoding(head), JudgeContentLength(head)}) {
    if (!judgement) return tl::unexpected<GateRefusal>(judgement.error());
  }
  ReadConnection(head);
  head.expect = head.headers.Get("Expect");
  return head;
}

}  // namespace mlprof
