// Tokens and signed addresses: what this server signed is known again, and nothing else.
#include <gtest/gtest.h>

#include <cstdio>

#include "common/hash/sha256.h"
#include "common/json/json.h"
#include "common/text/base64.h"
#include "common/text/percent.h"
#include "server/azure/routes/credentials.h"

namespace mlprof::server {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
const std::string kKey(32, 'k');

TEST(Hmac, IsTheOneOfRfc4231) {
  const std::string digest = HmacSha256("Jefe", "what do ya want for nothing?");
  std::string hex;
  for (const char c : digest) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", static_cast<unsigned char>(c));
    hex += text;
  }
  EXPECT_EQ(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_TRUE(EqualInConstantTime("ab", "ab"));
  EXPECT_FALSE(EqualInConstantTime("ab", "ac"));
  EXPECT_FALSE(EqualInConstantTime("ab", "abc"));
}

TEST(JsonWebToken, IsKnownAgainUntilItExpires) {
  const std::string token = SignToken(kKey, {Scope::kWrite, "https://x/", kNow + 60});
  const auto claims = ReadToken(kKey, token, kNow);
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->scope, Scope::kWrite);
  EXPECT_EQ(claims->audience, "https://x/");
  EXPECT_FALSE(ReadToken(kKey, token, kNow + 60));
  EXPECT_FALSE(ReadToken(std::string(32, 'x'), token, kNow));
}

TEST(JsonWebToken, HasThreePartsWithExpiryAndTenant) {
  const std::string token = SignToken(kKey, {Scope::kRead, "", kNow + 60});
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first + 1);
  const auto payload = ParseJson(*DecodeBase64Url(token.substr(first + 1, second - first - 1)));
  ASSERT_TRUE(payload);
  EXPECT_EQ((*payload)["exp"], kNow + 60);
  EXPECT_EQ((*payload)["tid"], kTenantId);
  EXPECT_EQ((*DecodeBase64Url(token.substr(0, first))), R"({"alg":"HS256","typ":"JWT"})");
}

TEST(JsonWebToken, RefusesEveryChange) {
  const std::string token = SignToken(kKey, {Scope::kRead, "", kNow + 60});
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(ReadToken(kKey, changed, kNow)) << i;
  }
  for (const std::string bad : {"", ".", "..", "a.b.c"}) EXPECT_FALSE(ReadToken(kKey, bad, kNow));
  EXPECT_FALSE(ReadToken(kKey, token + "." + token, kNow));
  // The algorithm "none".
  const std::string none = EncodeBase64Url(R"({"alg":"none","typ":"JWT"})");
  EXPECT_FALSE(ReadToken(kKey, none + token.substr(token.find('.')), kNow));
  EXPECT_FALSE(ReadToken(kKey, token.substr(0, token.rfind('.') + 1), kNow));
}

std::optional<BlobGrant> Read(const std::string& query, std::int64_t now = kNow,
                              const std::string& container = "c") {
  HttpRequest request;
  request.query = *ParseQuery(query);
  return ReadBlobGrant(kKey, request, container, now);
}

TEST(BlobSignature, OpensOneContainerOfOneWorkspaceForAWhile) {
  const std::string query = SignBlobGrant(kKey, {"s/g/w", "c", Scope::kWrite, kNow + 60});
  EXPECT_EQ(query.find('?'), std::string::npos);
  const auto grant = Read(query);
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->workspace, "s/g/w");
  EXPECT_EQ(grant->scope, Scope::kWrite);
  EXPECT_FALSE(Read(query, kNow + 60));
  EXPECT_FALSE(Read(query, kNow, "other"));
  EXPECT_TRUE(Read("timeout=30&comp=list&" + query));
}

TEST(BlobSignature, RefusesEveryChange) {
  const std::string query = SignBlobGrant(kKey, {"s/g/w", "c", Scope::kRead, kNow + 60});
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = query;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  EXPECT_TRUE(Read(query));
  EXPECT_FALSE(Read(replaced("sp=rl", "sp=rwl")));
  EXPECT_FALSE(Read(replaced("g%2Fw", "g%2Fx")));
  EXPECT_FALSE(Read(replaced("se=2027", "se=2028")));
  EXPECT_FALSE(Read(replaced("sig=", "sig=A")));
  EXPECT_FALSE(Read(replaced("sig=", "other=")));
  EXPECT_FALSE(Read(query + "&si=s%2Fg%2Fw"));
  EXPECT_FALSE(Read(query + "&skoid=t1"));
  const std::string of_token = SignBlobGrant(kKey, {"s/g/w", "c", Scope::kRead, kNow + 60, "t1"});
  EXPECT_EQ(Read(of_token)->token_id, "t1");
  EXPECT_FALSE(
      Read(of_token.substr(0, of_token.find("&skoid")) + of_token.substr(of_token.find("&sp="))));
  EXPECT_FALSE(Read(""));
}

}  // namespace
}  // namespace mlprof::server
