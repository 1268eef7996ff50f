#include "server/azure/routes/json_web_token.h"

#include "common/hash/hmac.h"
#include "common/json/json.h"
#include "common/text/base64.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kLongestToken = 4096;

// The header is always the same text, so none that names another algorithm is ever read.
std::string Header() { return EncodeBase64Url(R"({"alg":"HS256","typ":"JWT"})"); }

}  // namespace

std::string SignToken(const std::string& key, const TokenClaims& claims) {
  const Json payload = {{"iss", "mlprof"},        {"aud", claims.audience},
                        {"tid", kTenantId},       {"scope", Name(claims.scope)},
                        {"sub", claims.token_id}, {"exp", claims.expires_unix_s}};
  const std::string signed_part = Header() + "." + EncodeBase64Url(DumpJson(payload));
  return signed_part + "." + EncodeBase64Url(HmacSha256(key, signed_part));
}

std::optional<TokenClaims> ReadToken(const std::string& key, std::string_view token,
                                     std::int64_t now_unix_s) {
  const std::string start = Header() + ".";
  if (token.size() > kLongestToken || !token.starts_with(start)) return std::nullopt;
  const std::size_t dot = token.rfind('.');
  if (dot < start.size()) return std::nullopt;
  const std::string wanted = EncodeBase64Url(HmacSha256(key, token.substr(0, dot)));
  if (!EqualInConstantTime(token.substr(dot + 1), wanted)) return std::nullopt;
  const auto payload = DecodeBase64Url(token.substr(start.size(), dot - start.size()));
  if (!payload) return std::nullopt;
  const auto json = ParseJson(*payload);
  if (!json || !json->is_object()) return std::nullopt;
  TokenClaims claims;
  const auto scope = ParseScope(json->value("scope", ""));
  claims.audience = json->value("aud", "");
  claims.token_id = json->value("sub", "");
  claims.expires_unix_s = json->value("exp", std::int64_t{0});
  if (!scope || claims.expires_unix_s <= now_unix_s) return std::nullopt;
  claims.scope = *scope;
  return claims;
}

}  // namespace mlprof::server
