#include "server/rest/access.h"

#include <algorithm>

#include "common/text/ascii.h"
#include "server/rest/authority.h"
#include "server/rest/problem.h"

namespace mlprof::server {
namespace {

constexpr std::string_view kRealm = "Bearer realm=\"mlprof\"";

HttpResponse Refuse(ErrorCode code, const std::string& why, const HttpRequest& request) {
  return ProblemResponse(Error(code, why), request.path);
}

HttpResponse Challenge(ErrorCode code, const std::string& why, std::string_view reason,
                       const HttpRequest& request) {
  HttpResponse refusal = Refuse(code, why, request);
  refusal.headers.Set("WWW-Authenticate", std::string(kRealm) + std::string(reason));
  return refusal;
}

bool WasForwarded(const HttpRequest& request) {
  constexpr std::string_view kFamily = "X-Forwarded";
  constexpr std::string_view kTold[] = {"Forwarded",
                                        "Via",
                                        "X-Real-IP",
                                        "X-Client-IP",
                                        "X-Cluster-Client-IP",
                                        "X-Original-IP",
                                        "Client-IP",
                                        "X-Original-Host",
                                        "True-Client-IP",
                                        "CF-Connecting-IP",
                                        "X-ProxyUser-IP",
                                        "X-Remote-IP",
                                        "X-Original-Forwarded-For"};
  return std::any_of(
      request.headers.all().begin(), request.headers.all().end(), [&](const auto& field) {
        const std::string_view name = field.first;
        return EqualsIgnoringCase(name.substr(0, kFamily.size()), kFamily) ||
               std::any_of(std::begin(kTold), std::end(kTold),
                           [&](std::string_view told) { return EqualsIgnoringCase(name, told); });
      });
}

const char* SchemeOf(const HttpRequest& request) { return request.over_tls ? "https" : "http"; }

bool Reads(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

}  // namespace

void AccessRules::SetPorts(unsigned short http, unsigned short https) {
  http_port_ = http;
  https_port_ = https;
}

void AccessRules::RespondTo(std::string_view url) {
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) return;
  const std::string scheme = Lowercase(url.substr(0, colon));
  addresses_.push_back({scheme, WithPort(Lowercase(url.substr(colon + 3)), scheme)});
}

bool AccessRules::IsListener(const std::string& authority, const std::string& scheme,
                             bool (*is_ours)(std::string_view host)) const {
  const unsigned short port = scheme == "https" ? https_port_.load() : http_port_.load();
  if (port == 0) return false;
  const std::string wanted = WithPort(authority, scheme);
  const std::string ending = ":" + std::to_string(port);
  if (!wanted.ends_with(ending)) return false;
  return is_ours(std::string_view(wanted).substr(0, wanted.size() - ending.size()));
}

bool AccessRules::IsOurHost(const HttpRequest& request, const std::string& authority) const {
  const std::string scheme = SchemeOf(request);
  return IsListener(authority, scheme, &IsLoopbackHost) ||
         (every_address_ && IsListener(authority, scheme, &IsAddressHost)) ||
         std::any_of(addresses_.begin(), addresses_.end(), [&](const Address& address) {
           return WithPort(authority, address.scheme) == address.authority;
         });
}

// When the server listens on all addresses, an IP address in Origin may be of any machine. It is
// ours only if it is the one that this request was sent to (Host).
bool AccessRules::IsOurOrigin(const HttpRequest& request, const std::string& origin) const {
  const std::size_t colon = origin.find("://");
  if (colon == std::string::npos) return false;
  const std::string scheme = origin.substr(0, colon);
  const std::string authority = origin.substr(colon + 3);
  if (scheme != "http" && scheme != "https") return false;
  const std::string host = Lowercase(request.headers.Get("Host").value_or(""));
  const bool is_this_one =
      scheme == SchemeOf(request) && WithPort(authority, scheme) == WithPort(host, scheme);
  return IsListener(authority, scheme, &IsLoopbackHost) ||
         (every_address_ && is_this_one && IsListener(authority, scheme, &IsAddressHost)) ||
         std::any_of(addresses_.begin(), addresses_.end(), [&](const Address& address) {
           return address.scheme == scheme && WithPort(authority, scheme) == address.authority;
         });
}

std::optional<HttpResponse> AccessRules::CheckSite(const HttpRequest& request) const {
  const auto hosts = request.headers.GetAll("Host");
  if (hosts.size() != 1) {
    return Refuse(ErrorCode::kInvalidArgument, "exactly one Host header is needed", request);
  }
  if (!IsOurHost(request, Lowercase(hosts.front()))) {
    return Refuse(ErrorCode::kPermissionDenied,
                  "this Host is not one of this server; --public-url names another", request);
  }
  for (const std::string& origin : request.headers.GetAll("Origin")) {
    if (!IsOurOrigin(request, Lowercase(origin))) {
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

std::optional<HttpResponse> AccessRules::CheckCaller(const HttpRequest& request) const {
  const bool token_given = request.headers.Get("Authorization").has_value();
  if (!token_given && anyone_) return std::nullopt;
  const auto scope = ScopeOf(request);
  if (!scope && token_given) {
    return Challenge(ErrorCode::kUnauthenticated,
                     "this token is not valid here: it is wrong, has expired or was revoked",
                     ", error=\"invalid_token\"", request);
  }
  if (!scope) {
    return Challenge(ErrorCode::kUnauthenticated,
                     "this server wants a token: Authorization: Bearer TOKEN", "", request);
  }
  if (*scope == Scope::kRead && !Reads(request)) {
    return Challenge(ErrorCode::kPermissionDenied,
                     "this token may only read; " + request.method + " needs one that may write",
                     ", error=\"insufficient_scope\", scope=\"write\"", request);
  }
  return std::nullopt;
}

std::optional<HttpResponse> AccessRules::Check(const HttpRequest& request) const {
  if (auto refusal = CheckSite(request)) return refusal;
  for (const auto& guarded : guarded_elsewhere_) {
    if (guarded(request)) return std::nullopt;
  }
  return BringsCredential(request) ? std::nullopt : CheckCaller(request);
}

bool AccessRules::BringsCredential(const HttpRequest& request) const {
  return std::any_of(credentials_.begin(), credentials_.end(),
                     [&](const auto& brings) { return brings(request); });
}

bool AccessRules::IsLocal(const HttpRequest& request) const {
  const auto hosts = request.headers.GetAll("Host");
  if (local_ != Local::kTrusted || hosts.size() != 1) return false;
  const std::string host = HostOf(Lowercase(hosts.front()));
  return IsLoopbackAddress(request.remote_address) &&
         (IsLoopbackHost(host) || IsLoopbackAddress(host)) && !WasForwarded(request);
}

std::optional<Scope> AccessRules::ScopeOf(std::string_view token) const {
  if (token.empty()) return std::nullopt;
  for (const BearerCheck& check : checks_) {
    if (const auto scope = check(token)) return scope;
  }
  return std::nullopt;
}

std::optional<Scope> AccessRules::ScopeOf(const HttpRequest& request) const {
  if (request.headers.Get("Authorization")) return ScopeOf(BearerOf(request));
  if (IsLocal(request)) return Scope::kWrite;
  return std::nullopt;
}

bool AccessRules::Knows(const HttpRequest& request) const {
  return (anyone_ && !request.headers.Get("Authorization")) || ScopeOf(request).has_value() ||
         BringsCredential(request);
}

std::string BearerOf(const HttpRequest& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const auto authorizations = request.headers.GetAll("Authorization");
  if (authorizations.size() != 1) return "";
  const std::string_view text = authorizations.front();
  if (!EqualsIgnoringCase(text.substr(0, kScheme.size()), kScheme)) return "";
  const std::size_t start = text.find_first_not_of(' ', kScheme.size());
  return start == std::string_view::npos ? "" : std::string(text.substr(start));
}

}  // namespace mlprof::server
