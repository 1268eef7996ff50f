// POST /msi/token: a token for an hour, for a program of this machine or one that brings a token of
// this server: Authorization: Bearer, or Basic with the token as the password, as a client sends it
// whose MSI_ENDPOINT is https://x:TOKEN@HOST/msi/token.
#include <algorithm>
#include <chrono>

#include "common/text/base64.h"
#include "common/text/percent.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/azure/routes/credentials.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/storage/tokens.h"

namespace mlprof::server {
namespace {

constexpr std::int64_t kTokenSeconds = 3600;  // clients ask for a new one before it ends
constexpr std::size_t kLongestAudience = 1000;

// The X of "SCHEME X"; nullopt for another scheme.
std::optional<std::string> Credential(const std::string& header, std::string_view scheme) {
  if (!EqualsIgnoringCase(std::string_view(header).substr(0, scheme.size()), scheme) ||
      header.size() <= scheme.size() || header[scheme.size()] != ' ') {
    return std::nullopt;
  }
  return header.substr(header.find_first_not_of(' ', scheme.size()));
}

// The token a caller brings, "" for a header that holds none.
std::string TokenIn(const std::string& header) {
  if (header.find_last_not_of(' ') == std::string::npos || header.ends_with(' ')) return "";
  if (const auto bearer = Credential(header, "Bearer")) return *bearer;
  const auto basic = Credential(header, "Basic");
  const auto pair = basic ? DecodeBase64(*basic) : std::nullopt;
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  return colon == std::string::npos ? "" : pair->substr(colon + 1);
}

// A caller's token must be one of the server's own. A token of this route gets no further one:
// otherwise a stolen one could be renewed for ever.
std::optional<TokenClaims> ClaimsOfCaller(const AzureServices& azure, const HttpRequest& request) {
  TokenClaims claims;
  claims.expires_unix_s = UnixSeconds() + kTokenSeconds;
  const auto headers = request.headers.GetAll("Authorization");
  if (headers.empty()) {
    const auto scope = azure.services.access.ScopeOf(request);
    if (!scope) return std::nullopt;
    claims.scope = *scope;
    return claims;
  }
  const auto token =
      azure.services.tokens.Identify(headers.size() == 1 ? TokenIn(headers.front()) : "");
  if (!token) return std::nullopt;
  claims.scope = token->scope;
  claims.token_id = token->id;
  if (token->expires) {
    claims.expires_unix_s = std::min(
        claims.expires_unix_s,
        std::chrono::floor<std::chrono::seconds>(*token->expires).time_since_epoch().count());
  }
  return claims;
}

std::string Audience(const HttpRequest& request) {
  const auto fields = ParseQuery(request.BodyText());
  for (const auto& [name, value] : fields.value_or(QueryFields())) {
    if (name == "resource" && value.size() <= kLongestAudience) return value;
  }
  return "";
}

Result<HttpResponse> GiveToken(const AzureServices& azure, const AzureCall& call) {
  // No page of another site can send this header, whatever else it can.
  if (call.request.headers.Get("Metadata").value_or("") != "true") {
    return Fail(InvalidArgument("the header Metadata: true is missing"));
  }
  auto claims = ClaimsOfCaller(azure, call.request);
  if (!claims) {
    return Fail(ErrorCode::kUnauthenticated,
                "a token of this server is needed: MSI_ENDPOINT=https://x:TOKEN@HOST/msi/token");
  }
  claims->audience = Audience(call.request);
  const std::int64_t left = claims->expires_unix_s - UnixSeconds();
  HttpResponse response = JsonResponse(200, {{"access_token", SignToken(azure.secret, *claims)},
                                             {"expires_on", std::to_string(claims->expires_unix_s)},
                                             {"expires_in", std::to_string(left)},
                                             {"resource", claims->audience},
                                             {"token_type", "Bearer"}});
  response.headers.Set("Cache-Control", "no-store");
  return response;
}

}  // namespace

void AddAzureTokenRoute(Router& router, const AzureServices& azure) {
  constexpr BodyPolicy kForm{BodyPolicy::Kind::kBuffered, KiB(16)};
  router.Add({"POST", "/msi/token", kForm, HandleAzure(azure, GiveToken)});
}

}  // namespace mlprof::server
