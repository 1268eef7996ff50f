#include "server/rest/access.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

HttpRequest RequestWith(const Fields& fields, const std::string& method = "GET") {
  HttpRequest request;
  request.method = method;
  request.remote_address = "127.0.0.1";
  for (const auto& [name, value] : fields) request.headers.Add(name, value);
  return request;
}

// The status of the refusal; 0 where there is none.
int StatusOf(const AccessRules& rules, const HttpRequest& request) {
  const auto refusal = rules.Check(request);
  return refusal ? refusal->status : 0;
}

int Check(const Fields& fields, const std::vector<std::string>& more = {}, bool over_tls = false) {
  AccessRules rules;
  for (const std::string& url : more) rules.RespondTo(url);
  rules.SetPorts(8080, 8443);
  HttpRequest request = RequestWith(fields);
  request.over_tls = over_tls;
  return StatusOf(rules, request);
}

TEST(AccessRulesTest, AdmitsLoopbackNamesWithTheListeningPort) {
  for (const char* host : {"localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:8080"}) {
    EXPECT_EQ(Check({{"Host", host}}), 0) << host;
  }
  for (const char* host : {"localhost:8443", "127.0.0.1:8443", "[::1]:8443"}) {
    EXPECT_EQ(Check({{"Host", host}}, {}, true), 0) << host;
  }
}

TEST(AccessRulesTest, RefusesOtherHosts) {
  for (const char* host :
       {"evil.example:8080", "localhost:8081", "localhost", "127.0.0.2:8080", "192.0.2.1:8080",
        "localhost.evil.example:8080", "localhost:8080@evil", "[::1]", "localhost:8443", ""}) {
    EXPECT_EQ(Check({{"Host", host}}), 403) << host;
  }
  EXPECT_EQ(Check({{"Host", "localhost:8080"}}, {}, true), 403);
}

TEST(AccessRulesTest, NeedsExactlyOneHost) {
  EXPECT_EQ(Check({}), 400);
  EXPECT_EQ(Check({{"Host", "localhost:8080"}, {"host", "localhost:8080"}}), 400);
}

TEST(AccessRulesTest, LeavesOutTheOwnPortOfASchemeAsBrowsersDo) {
  AccessRules rules;
  rules.SetPorts(80, 443);
  HttpRequest request = RequestWith({{"Host", "localhost"}, {"Origin", "http://localhost"}});
  EXPECT_EQ(StatusOf(rules, request), 0);
  request = RequestWith({{"Host", "localhost"}, {"Origin", "https://localhost"}});
  request.over_tls = true;
  EXPECT_EQ(StatusOf(rules, request), 0);
}

TEST(AccessRulesTest, RespondsToItsPublicUrlWhateverWayItCame) {
  AccessRules rules;
  rules.RespondTo("https://Box.example");
  rules.RespondTo("https://box.example:99");
  rules.LetAnyoneIn();
  for (const char* host : {"box.example", "BOX.example:443", "box.example:99"}) {
    HttpRequest request = RequestWith({{"Host", host}});
    EXPECT_EQ(StatusOf(rules, request), 0) << host;
    request.over_tls = true;
    EXPECT_EQ(StatusOf(rules, request), 0) << host;
  }
  for (const char* host : {"box.example:80", "box.example:98", "x.box.example", "box.examplex"}) {
    EXPECT_EQ(StatusOf(rules, RequestWith({{"Host", host}})), 403) << host;
  }
}

TEST(AccessRulesTest, KnowsWhoProvesWhoHeIs) {
  AccessRules rules(AccessRules::Local::kNeedsToken);
  rules.AcceptBearer([](std::string_view token) {
    return token == "good" ? std::optional(Scope::kRead) : std::nullopt;
  });
  rules.LeaveOpen([](const HttpRequest&) { return true; });
  rules.SetPorts(8080, 0);
  const HttpRequest stranger = RequestWith({{"Host", "localhost:8080"}});
  const HttpRequest wrong =
      RequestWith({{"Host", "localhost:8080"}, {"Authorization", "Bearer bad"}});
  EXPECT_EQ(StatusOf(rules, stranger), 0);  // let in all the same
  EXPECT_FALSE(rules.Knows(stranger));
  EXPECT_FALSE(rules.Knows(wrong));
  EXPECT_TRUE(
      rules.Knows(RequestWith({{"Host", "localhost:8080"}, {"Authorization", "Bearer good"}})));
  rules.AcceptCredential([](const HttpRequest& request) { return request.path == "/signed"; });
  HttpRequest with_grant = stranger;
  with_grant.path = "/signed";
  EXPECT_TRUE(rules.Knows(with_grant));
  EXPECT_FALSE(rules.Knows(stranger));
  rules.LetAnyoneIn();
  EXPECT_TRUE(rules.Knows(stranger));
  EXPECT_FALSE(rules.Knows(wrong));
}

TEST(AccessRulesTest, RespondsToEveryAddressOnlyWhereTold) {
  AccessRules rules;
  rules.SetPorts(8080, 0);
  rules.RespondToEveryAddress();
  rules.LetAnyoneIn();
  for (const char* host : {"192.0.2.1:8080", "[2001:db8::1]:8080", "localhost:8080"}) {
    EXPECT_EQ(StatusOf(rules, RequestWith({{"Host", host}})), 0) << host;
  }
  for (const char* host : {"evil.example:8080", "192.0.2.1:8081", "192.0.2.1", "1.2.3:8080"}) {
    EXPECT_EQ(StatusOf(rules, RequestWith({{"Host", host}})), 403) << host;
  }
}

// Pages of other machines have addresses as their origin, too.
TEST(AccessRulesTest, TakesNoAddressForItsOwnOriginButTheOneThatWasAsked) {
  AccessRules rules;
  rules.SetPorts(8080, 8443);
  rules.RespondToEveryAddress();
  rules.LetAnyoneIn();
  const auto status = [&](const char* host, const char* origin) {
    return StatusOf(rules, RequestWith({{"Host", host}, {"Origin", origin}}));
  };
  EXPECT_EQ(status("192.0.2.1:8080", "http://192.0.2.1:8080"), 0);
  EXPECT_EQ(status("[2001:db8::1]:8080", "http://[2001:db8::1]:8080"), 0);
  EXPECT_EQ(status("192.0.2.1:8080", "http://192.0.2.66:8080"), 403);
  EXPECT_EQ(status("localhost:8080", "http://192.0.2.66:8080"), 403);
  EXPECT_EQ(status("192.0.2.1:8080", "https://192.0.2.1:8080"), 403);
  rules.RespondTo("https://box.example");
  EXPECT_EQ(status("box.example", "https://box.example"), 0);
  EXPECT_EQ(status("box.example", "http://box.example"), 403);
}

TEST(AccessRulesTest, RefusesPagesOfAnotherOrigin) {
  const std::pair<std::string, std::string> host{"Host", "localhost:8080"};
  EXPECT_EQ(Check({host, {"Origin", "http://localhost:8080"}}), 0);
  EXPECT_EQ(Check({host, {"Origin", "https://localhost:8443"}}), 0);
  EXPECT_EQ(Check({host, {"Origin", "https://box.example"}}, {"https://box.example"}), 0);
  for (const char* origin :
       {"http://evil.example", "null", "https://localhost:8080", "http://localhost:8443",
        "http://localhost:8081", "http://localhost", "ftp://localhost:8080", "://localhost:8080",
        "http://box.example", "http://box.example:443", ""}) {
    EXPECT_EQ(Check({host, {"Origin", origin}}, {"https://box.example"}), 403) << origin;
  }
}

TEST(AccessRulesTest, RefusesRequestsFromAnotherSite) {
  const std::pair<std::string, std::string> host{"Host", "localhost:8080"};
  EXPECT_EQ(Check({host, {"Sec-Fetch-Site", "same-origin"}}), 0);
  EXPECT_EQ(Check({host, {"Sec-Fetch-Site", "none"}}), 0);
  EXPECT_EQ(Check({host, {"Sec-Fetch-Site", "cross-site"}}), 403);
  EXPECT_EQ(Check({host, {"Sec-Fetch-Site", "same-site"}}), 403);
  EXPECT_EQ(Check({host, {"Sec-Fetch-Site", "none"}, {"Sec-Fetch-Site", "cross-site"}}), 403);
}

TEST(AccessRulesTest, RefusesLoopbackNamesUntilThePortIsKnown) {
  EXPECT_EQ(StatusOf(AccessRules(), RequestWith({{"Host", "localhost:0"}})), 403);
}

class CallerTest : public ::testing::Test {
 protected:
  explicit CallerTest(AccessRules::Local local = AccessRules::Local::kTrusted) : rules_(local) {
    rules_.SetPorts(8080, 8443);
    rules_.RespondTo("https://box.example");
    rules_.AcceptBearer([](std::string_view token) {
      return token == "mlp_reads" ? std::optional(Scope::kRead) : std::nullopt;
    });
    rules_.AcceptBearer([](std::string_view token) {
      return token == "mlp_writes" ? std::optional(Scope::kWrite) : std::nullopt;
    });
  }
  static HttpRequest Local(const std::string& method = "GET") {
    return RequestWith({{"Host", "localhost:8080"}}, method);
  }
  static HttpRequest Remote(const std::string& method = "GET", const std::string& token = "") {
    HttpRequest request = RequestWith({{"Host", "box.example"}}, method);
    request.remote_address = "192.0.2.7";
    if (!token.empty()) request.headers.Add("Authorization", token);
    return request;
  }

  AccessRules rules_;
};

class TokenForAllTest : public CallerTest {
 protected:
  TokenForAllTest() : CallerTest(AccessRules::Local::kNeedsToken) {}
};

TEST_F(CallerTest, IsTrustedOnThisMachine) {
  for (const char* method : {"GET", "HEAD", "POST", "PATCH", "DELETE", "PUT"}) {
    EXPECT_EQ(StatusOf(rules_, Local(method)), 0) << method;
  }
  EXPECT_TRUE(rules_.IsLocal(Local()));
  EXPECT_EQ(rules_.ScopeOf(Local()), Scope::kWrite);
}

TEST_F(CallerTest, NeedsATokenFromElsewhere) {
  for (const char* peer : {"192.0.2.7", "2001:db8::1", "", "128.0.0.1", "::ffff:10.0.0.1"}) {
    HttpRequest request = Local();
    request.remote_address = peer;
    EXPECT_EQ(StatusOf(rules_, request), 401) << peer;
    EXPECT_FALSE(rules_.IsLocal(request)) << peer;
  }
  for (const char* peer : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    HttpRequest request = Local();
    request.remote_address = peer;
    EXPECT_EQ(StatusOf(rules_, request), 0) << peer;
  }
}

// A proxy on this machine has a loopback address; what it forwards came from somewhere.
TEST_F(CallerTest, NeedsATokenThroughAProxy) {
  for (const char* field :
       {"Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-Forwarded", "X-FORWARDED-HOST",
        "X-Forwarded-Anything", "X-Real-IP", "Via", "True-Client-IP", "CF-Connecting-IP"}) {
    HttpRequest request = Local();
    request.headers.Add(field, "");
    EXPECT_EQ(StatusOf(rules_, request), 401) << field;
    EXPECT_FALSE(rules_.IsLocal(request)) << field;
  }
  HttpRequest request = RequestWith({{"Host", "box.example"}});
  EXPECT_EQ(StatusOf(rules_, request), 401);
}

TEST_F(CallerTest, MayDoWhatItsTokenSays) {
  for (const char* method : {"GET", "HEAD"}) {
    EXPECT_EQ(StatusOf(rules_, Remote(method, "Bearer mlp_reads")), 0) << method;
    EXPECT_EQ(StatusOf(rules_, Remote(method, "bearer  mlp_writes")), 0) << method;
  }
  for (const char* method : {"POST", "PATCH", "DELETE", "PUT", "OPTIONS"}) {
    EXPECT_EQ(StatusOf(rules_, Remote(method, "Bearer mlp_reads")), 403) << method;
    EXPECT_EQ(StatusOf(rules_, Remote(method, "Bearer mlp_writes")), 0) << method;
  }
}

TEST_F(CallerTest, IsToldWhatIsMissing) {
  const auto none = rules_.Check(Remote());
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->headers.Get("WWW-Authenticate"), "Bearer realm=\"mlprof\"");
  const auto wrong = rules_.Check(Remote("GET", "Bearer mlp_wrong"));
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->headers.Get("WWW-Authenticate"),
            "Bearer realm=\"mlprof\", error=\"invalid_token\"");
  EXPECT_EQ(std::get<std::string>(wrong->body).find("mlp_wrong"), std::string::npos);
  const auto narrow = rules_.Check(Remote("POST", "Bearer mlp_reads"));
  ASSERT_TRUE(narrow.has_value());
  EXPECT_EQ(narrow->headers.Get("WWW-Authenticate"),
            "Bearer realm=\"mlprof\", error=\"insufficient_scope\", scope=\"write\"");
}

TEST_F(CallerTest, IsRefusedWithAWrongTokenEvenHere) {
  for (const char* authorization : {"Bearer mlp_wrong", "Bearer", "Bearer ", "Basic bWxwOng=", "",
                                    "mlp_writes", "Bearer mlp_writes x", "Bearermlp_writes"}) {
    HttpRequest request = Local();
    request.headers.Add("Authorization", authorization);
    EXPECT_EQ(StatusOf(rules_, request), 401) << authorization;
    EXPECT_EQ(rules_.ScopeOf(request), std::nullopt) << authorization;
  }
  HttpRequest request = Local();
  request.headers.Add("Authorization", "Bearer mlp_writes");
  request.headers.Add("Authorization", "Bearer mlp_writes");
  EXPECT_EQ(StatusOf(rules_, request), 401);
}

TEST_F(CallerTest, MayOnlyReadWithAReadTokenEvenHere) {
  HttpRequest request = Local("POST");
  request.headers.Add("Authorization", "Bearer mlp_reads");
  EXPECT_EQ(StatusOf(rules_, request), 403);
}

TEST_F(TokenForAllTest, IsNotTrustedOnThisMachine) {
  EXPECT_EQ(StatusOf(rules_, Local()), 401);
  EXPECT_FALSE(rules_.IsLocal(Local()));
  HttpRequest request = Local("POST");
  request.headers.Add("Authorization", "Bearer mlp_writes");
  EXPECT_EQ(StatusOf(rules_, request), 0);
}

TEST_F(CallerTest, IsLetInAnywhereWhereThatWasChosen) {
  rules_.LetAnyoneIn();
  EXPECT_EQ(StatusOf(rules_, Remote("POST")), 0);
  EXPECT_EQ(rules_.ScopeOf(Remote("POST")), std::nullopt);
  EXPECT_EQ(StatusOf(rules_, Remote("GET", "Bearer mlp_wrong")), 401);
}

TEST_F(TokenForAllTest, IsLeftToRoutesThatGuardThemselves) {
  rules_.LeaveOpen([](const HttpRequest& request) { return request.path == "/msi/token"; });
  HttpRequest request = Remote("POST", "Bearer mlp_wrong");
  EXPECT_EQ(StatusOf(rules_, request), 401);
  request.path = "/msi/token";
  EXPECT_EQ(StatusOf(rules_, request), 0);
  request.headers.Set("Host", "evil.example");
  EXPECT_EQ(StatusOf(rules_, request), 403);
}

}  // namespace
}  // namespace mlprof::server
