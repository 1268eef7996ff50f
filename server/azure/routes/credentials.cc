#include "server/azure/routes/credentials.h"

#include "common/hash/sha256.h"
#include "common/json/json.h"
#include "common/text/base64.h"
#include "common/text/percent.h"
#include "common/time/timestamp.h"

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

namespace {

constexpr const char* kVersion = "2019-07-07";

std::string Permissions(Scope scope) { return scope == Scope::kWrite ? "rwl" : "rl"; }

std::string Expiry(std::int64_t unix_s) {
  std::string text = FormatTimestamp(Timestamp(std::chrono::seconds(unix_s)));
  return text.substr(0, text.find('.')) + "Z";
}

std::string Signature(const std::string& secret, const BlobGrant& grant) {
  const std::string key = HmacSha256(secret, "blobs of\n" + grant.workspace);
  return EncodeBase64Url(HmacSha256(key, grant.container + "\n" + Permissions(grant.scope) + "\n" +
                                             Expiry(grant.expires_unix_s) + "\n" + grant.token_id));
}

// The one value of a parameter; nullopt for none and for several.
std::optional<std::string> Single(const HttpRequest& request, const char* name) {
  const auto values = request.QueryAll(name);
  return values.size() == 1 ? std::optional(values.front()) : std::nullopt;
}

}  // namespace

std::string SignBlobGrant(const std::string& secret, const BlobGrant& grant) {
  const std::string of_token =
      grant.token_id.empty() ? "" : "&skoid=" + PercentEncode(grant.token_id);
  return std::string("sv=") + kVersion + "&sr=c&si=" + PercentEncode(grant.workspace) + of_token +
         "&sp=" + Permissions(grant.scope) + "&se=" + PercentEncode(Expiry(grant.expires_unix_s)) +
         "&sig=" + Signature(secret, grant);
}

std::optional<BlobGrant> ReadBlobGrant(const std::string& secret, const HttpRequest& request,
                                       const std::string& container, std::int64_t now_unix_s) {
  const auto workspace = Single(request, "si");
  const auto permissions = Single(request, "sp");
  const auto expiry = Single(request, "se");
  const auto signature = Single(request, "sig");
  if (!workspace || !permissions || !expiry || !signature) return std::nullopt;
  const auto expires = ParseTimestamp(*expiry);
  if (!expires) return std::nullopt;
  BlobGrant grant{*workspace, container, Scope::kRead,
                  std::chrono::floor<std::chrono::seconds>(*expires).time_since_epoch().count()};
  grant.token_id = Single(request, "skoid").value_or("");
  if (*permissions == Permissions(Scope::kWrite)) grant.scope = Scope::kWrite;
  if (!EqualInConstantTime(*signature, Signature(secret, grant))) return std::nullopt;
  if (grant.expires_unix_s <= now_unix_s) return std::nullopt;
  return grant;
}

}  // namespace mlprof::server
