#include "server/rest/access.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The status of the refusal; 0 where there is none.
int Check(const Fields& fields, const std::vector<std::string>& more_hosts = {}) {
  AccessRules rules(more_hosts);
  rules.SetPort(8080);
  HttpRequest request;
  for (const auto& [name, value] : fields) request.headers.Add(name, value);
  const auto refusal = rules.Check(request);
  return refusal ? refusal->status : 0;
}

TEST(AccessRulesTest, AdmitsLoopbackNamesWithTheListeningPort) {
  for (const char* host : {"localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:8080"}) {
    EXPECT_EQ(Check({{"Host", host}}), 0) << host;
  }
}

TEST(AccessRulesTest, RefusesOtherHosts) {
  for (const char* host : {"evil.example:8080", "localhost:8081", "localhost", "127.0.0.2:8080",
                           "localhost.evil.example:8080", "localhost:8080@evil", "[::1]", ""}) {
    EXPECT_EQ(Check({{"Host", host}}), 403) << host;
  }
}

TEST(AccessRulesTest, NeedsExactlyOneHost) {
  EXPECT_EQ(Check({}), 400);
  EXPECT_EQ(Check({{"Host", "localhost:8080"}, {"host", "localhost:8080"}}), 400);
}

TEST(AccessRulesTest, AdmitsConfiguredHosts) {
  EXPECT_EQ(Check({{"Host", "Box.example"}}, {"box.example"}), 0);
  EXPECT_EQ(Check({{"Host", "box.example:80"}}, {"box.example"}), 0);
  EXPECT_EQ(Check({{"Host", "box.example:99"}}, {"box.example:99"}), 0);
  EXPECT_EQ(Check({{"Host", "box.example:98"}}, {"box.example:99"}), 403);
}

TEST(AccessRulesTest, RefusesPagesOfAnotherOrigin) {
  const std::pair<std::string, std::string> host{"Host", "localhost:8080"};
  EXPECT_EQ(Check({host, {"Origin", "http://localhost:8080"}}), 0);
  for (const char* origin : {"http://evil.example", "null", "https://localhost:8080",
                             "http://localhost:8081", "http://localhost", ""}) {
    EXPECT_EQ(Check({host, {"Origin", origin}}), 403) << origin;
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
  HttpRequest request;
  request.headers.Add("Host", "localhost:0");
  EXPECT_TRUE(AccessRules().Check(request).has_value());
}

}  // namespace
}  // namespace mlprof
