#include "server/rest/access.h"

#include <algorithm>

#include "server/rest/problem.h"

namespace mlprof {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// The port is left out where it is the scheme's own.
std::string WithPort(const std::string& authority) {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  return has_port ? authority : authority + ":80";
}

HttpResponse Refuse(ErrorCode code, const std::string& why, const HttpRequest& request) {
  return ProblemResponse(Error(code, why), request.path);
}

}  // namespace

AccessRules::AccessRules(std::vector<std::string> more_hosts) {
  for (const std::string& host : more_hosts) more_hosts_.push_back(Lower(WithPort(host)));
}

bool AccessRules::IsOurs(const std::string& authority) const {
  const std::string wanted = Lower(WithPort(authority));
  const std::string port = ":" + std::to_string(port_.load());
  for (const char* name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (port_ != 0 && wanted == name + port) return true;
  }
  return std::find(more_hosts_.begin(), more_hosts_.end(), wanted) != more_hosts_.end();
}

std::optional<HttpResponse> AccessRules::Check(const HttpRequest& request) const {
  const auto hosts = request.headers.GetAll("Host");
  if (hosts.size() != 1) {
    return Refuse(ErrorCode::kInvalidArgument, "exactly one Host header is needed", request);
  }
  if (!IsOurs(hosts.front())) {
    return Refuse(ErrorCode::kPermissionDenied, "this Host is not one of this server", request);
  }
  for (const std::string& origin : request.headers.GetAll("Origin")) {
    constexpr std::string_view kScheme = "http://";
    if (!origin.starts_with(kScheme) || !IsOurs(origin.substr(kScheme.size()))) {
      return Refuse(ErrorCode::kPermissionDenied, "pages of another origin may not use this server",
                    request);
    }
  }
  for (const std::string& site : request.headers.GetAll("Sec-Fetch-Site")) {
    if (site != "same-origin" && site != "none") {
      return Refuse(ErrorCode::kPermissionDenied, "pages of another site may not use this server",
                    request);
    }
  }
  return std::nullopt;
}

}  // namespace mlprof
