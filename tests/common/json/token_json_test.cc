#include "common/json/token_json.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

TEST(TokenJsonTest, GivesBackAllOfAToken) {
  CreatedToken created{{"id", "ci", Scope::kWrite, *ParseTimestamp("2026-11-21T10:00:00.123Z"),
                        *ParseTimestamp("2027-11-21T10:00:00.000Z"), "2026-11-22"},
                       "mlp_x"};
  const auto decoded = DecodeCreatedToken(EncodeCreatedToken(created));
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded->secret, "mlp_x");
  EXPECT_EQ(decoded->token.name, "ci");
  EXPECT_EQ(decoded->token.scope, Scope::kWrite);
  EXPECT_EQ(decoded->token.created, created.token.created);
  EXPECT_EQ(decoded->token.expires, created.token.expires);
  EXPECT_EQ(decoded->token.last_used_day, "2026-11-22");
}

TEST(TokenJsonTest, HasNoSecretWhereATokenIsListed) {
  const Json json = EncodeToken({"id", "ci", Scope::kRead, {}, std::nullopt, ""});
  EXPECT_FALSE(json.contains("token"));
  EXPECT_TRUE(json["expiresTime"].is_null());
  EXPECT_TRUE(json["lastUsedDay"].is_null());
  EXPECT_FALSE(DecodeCreatedToken(json));
}

TEST(TokenJsonTest, IsRefusedWithoutAScopeItKnows) {
  Json json = EncodeToken({"id", "ci", Scope::kRead, {}, std::nullopt, ""});
  json["scope"] = "admin";
  EXPECT_FALSE(DecodeToken(json));
}

}  // namespace
}  // namespace mlprof
