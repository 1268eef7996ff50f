#include "common/http/response_head.h"

#include "common/http/framing_gate.h"
#include "common/log/log.h"

namespace mlprof {
namespace {

bool IsOurs(std::string_view name) {
  for (const std::string_view ours :
       {"Connection", "Content-Length", "Transfer-Encoding", "Server", "Keep-Alive"}) {
    if (EqualsIgnoringCase(name, ours)) return true;
  }
  return false;
}

}  // namespace

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "";
  }
}

std::string ResponseHead(int status, const HttpHeaders& headers, const ResponseFraming& framing) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " ";
  head.append(ReasonPhrase(status)).append("\r\nServer: mlprof\r\n");
  for (const auto& [name, value] : headers.all()) {
    if (IsOurs(name)) continue;
    const std::string line = name + ": " + value;
    if (!IsFieldLine(line)) {
      LogError("left a malformed field out of a response", {{"status", status}});
      continue;
    }
    head.append(line).append("\r\n");
  }
  if (framing.content_length) {
    head += "Content-Length: " + std::to_string(*framing.content_length) + "\r\n";
  }
  if (framing.chunked) head += "Transfer-Encoding: chunked\r\n";
  // HTTP/1.0 clients that asked for keep-alive need to be told.
  head += framing.close ? "Connection: close\r\n" : "Connection: keep-alive\r\n";
  return head + "\r\n";
}

}  // namespace mlprof
