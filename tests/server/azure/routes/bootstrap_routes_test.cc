#include <gmock/gmock.h>

#include "common/text/base64.h"
#include "server/azure/routes/credentials.h"
#include "tests/server/azure/azure_bench.h"

namespace mlprof::server {
namespace {

using testing::Contains;
using testing::HasSubstr;

using AzureBootstrap = AzureBench;

TEST_F(AzureBootstrap, TheCloudIsThisServer) {
  const Json cloud = JsonOf(Ask("GET", "/metadata/endpoints?api-version=2019-05-01"))[0];
  EXPECT_EQ(cloud["name"], "AzureCloud");
  EXPECT_EQ(cloud["resourceManager"], "https://127.0.0.1:8443/");
  EXPECT_EQ(cloud["authentication"]["loginEndpoint"], "https://127.0.0.1:8443");
  EXPECT_EQ(cloud["authentication"]["audiences"], Parsed(R"(["https://127.0.0.1:8443/"])"));
  EXPECT_EQ(cloud["suffixes"]["storage"], "x@127.0.0.1:8443");
}

TEST_F(AzureBootstrap, DiscoveryNamesAllServices) {
  const Json services = JsonOf(Ask("GET", "/discovery"));
  for (const char* name :
       {"api", "experimentation", "history", "hyperdrive", "modelmanagement", "studio"}) {
    EXPECT_EQ(services[name], "https://127.0.0.1:8443") << name;
  }
}

TEST_F(AzureBootstrap, SubscriptionsAreThoseOfTheWorkspacesInUse) {
  const auto listed = [this] {
    std::vector<std::string> ids;
    const Json subscriptions = JsonOf(Ask("GET", "/subscriptions?api-version=2022-12-01"));
    for (const Json& one : subscriptions["value"])
      ids.push_back(one["subscriptionId"].get<std::string>());
    return ids;
  };
  EXPECT_THAT(listed(), testing::ElementsAre("default"));
  EXPECT_EQ(Ask("PUT", Workspace("")).status, 200);
  EXPECT_EQ(Ask("PUT", Workspace("")).status, 200);
  EXPECT_THAT(listed(), testing::ElementsAre("default", "s"));
}

TEST_F(AzureBootstrap, AWorkspaceHasWhatAClientNeeds) {
  const Json workspace = JsonOf(Ask("GET", Workspace("") + "?api-version=2022-05-01"));
  EXPECT_EQ(workspace["id"], Workspace(""));
  EXPECT_EQ(workspace["properties"]["discoveryUrl"], "https://127.0.0.1:8443/discovery");
  EXPECT_EQ(workspace["properties"]["workspaceId"].get<std::string>().size(), 36u);
  EXPECT_TRUE(workspace["location"].is_string());
  const std::string other = Workspace("", "v");
  EXPECT_NE(JsonOf(Ask("GET", other))["properties"]["workspaceId"],
            workspace["properties"]["workspaceId"]);
}

TEST_F(AzureBootstrap, NamesThatCanBeNoWorkspaceAreRefused) {
  const HttpResponse refused = Ask("GET", WorkspacePath("s/-g/w"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(JsonOf(refused)["statusCode"], 400);
}

TEST_F(AzureBootstrap, WithoutTlsItSaysWhatIsMissing) {
  address_ = {"http://127.0.0.1:8080", "", ""};
  const HttpResponse refused = Ask("GET", "/metadata/endpoints");
  EXPECT_EQ(refused.status, 501);
  EXPECT_THAT(TextOf(refused), HasSubstr("--tls-listen"));
}

// ---- tokens -------------------------------------------------------------------------------------

class AzureTokens : public AzureBench {
 protected:
  HttpResponse Token(const std::string& address, Headers headers) {
    headers.emplace_back("Metadata", "true");
    return AskFrom(address, "POST", "/msi/token", "resource=https%3A%2F%2Fmanagement%2F", headers);
  }
  std::optional<Scope> ScopeGiven(const std::string& address, const Headers& headers) {
    const HttpResponse response = Token(address, headers);
    if (response.status != 200) return std::nullopt;
    return access_.ScopeOf(JsonOf(response)["access_token"].get<std::string>());
  }
};

TEST_F(AzureTokens, AProgramOfThisMachineGetsOne) {
  const HttpResponse response = Token("127.0.0.1", {});
  ASSERT_EQ(response.status, 200);
  const Json json = JsonOf(response);
  EXPECT_EQ(json["token_type"], "Bearer");
  EXPECT_EQ(json["resource"], "https://management/");
  EXPECT_EQ(json["expires_in"], "3600");
  EXPECT_EQ(response.headers.Get("Cache-Control"), "no-store");
  EXPECT_EQ(access_.ScopeOf(json["access_token"].get<std::string>()), Scope::kWrite);
}

TEST_F(AzureTokens, OthersNeedATokenOfThisServer) {
  EXPECT_EQ(Token(kElsewhere, {}).status, 401);
  EXPECT_EQ(ScopeGiven(kElsewhere, {{"Authorization", "Bearer " + writer_}}), Scope::kWrite);
  EXPECT_EQ(ScopeGiven(kElsewhere, {{"Authorization", "Bearer " + reader_}}), Scope::kRead);
  const std::string basic = "Basic " + EncodeBase64("x:" + writer_);
  EXPECT_EQ(ScopeGiven(kElsewhere, {{"Authorization", basic}}), Scope::kWrite);
}

TEST_F(AzureTokens, AWrongOneIsRefusedEvenHere) {
  for (const std::string& header :
       {std::string("Bearer wrong"), std::string("Bearer "), std::string("Bearer"),
        "Basic " + EncodeBase64("x:wrong"), "Basic " + EncodeBase64(writer_),
        std::string("Basic !"), "Digest " + writer_, writer_, std::string("")}) {
    EXPECT_EQ(Token("127.0.0.1", {{"Authorization", header}}).status, 401) << header;
  }
  EXPECT_EQ(
      Token("127.0.0.1", {{"Authorization", "Bearer " + writer_}, {"Authorization", "Bearer x"}})
          .status,
      401);
}

TEST_F(AzureTokens, OneOfItsOwnGetsNoFurtherOne) {
  const std::string token = JsonOf(Token("127.0.0.1", {}))["access_token"].get<std::string>();
  EXPECT_EQ(Token(kElsewhere, {{"Authorization", "Bearer " + token}}).status, 401);
}

TEST_F(AzureTokens, ItEndsWithTheTokenItWasGivenFor) {
  const auto given =
      JsonOf(Token(kElsewhere, {{"Authorization", "Bearer " + writer_}}))["access_token"]
          .get<std::string>();
  EXPECT_EQ(access_.ScopeOf(given), Scope::kWrite);
  ASSERT_TRUE(tokens_->Revoke("writer"));
  EXPECT_EQ(access_.ScopeOf(given), std::nullopt);
}

TEST_F(AzureTokens, ItLastsNoLongerThanTheTokenItWasGivenFor) {
  const auto short_lived =
      tokens_->Create({"short", Scope::kRead, Now() + std::chrono::seconds(90)}).value().secret;
  const Json json = JsonOf(Token(kElsewhere, {{"Authorization", "Bearer " + short_lived}}));
  EXPECT_LE(std::stoi(json["expires_in"].get<std::string>()), 90);
}

TEST_F(AzureTokens, ItMakesNoTokenThatStays) {
  const auto given = JsonOf(Token("127.0.0.1", {}))["access_token"].get<std::string>();
  const Headers headers{{"Authorization", "Bearer " + given}, {"Content-Type", "application/json"}};
  EXPECT_EQ(
      AskFrom(kElsewhere, "POST", "/tokens", R"({"name":"x","scope":"write"})", headers).status,
      403);
}

TEST_F(AzureTokens, APageOfAnotherSiteCannotAsk) {
  EXPECT_EQ(Ask("POST", "/msi/token", "resource=x").status, 400);
  EXPECT_EQ(Token("127.0.0.1", {{"Origin", "https://evil.example"}}).status, 403);
}

TEST_F(AzureTokens, ItOpensTheRoutesByItsScope) {
  const auto bearer = [this](const std::string& with) {
    return Headers{{"Authorization",
                    "Bearer " + JsonOf(Token(kElsewhere, {{"Authorization", "Bearer " + with}}))
                                    .value("access_token", "")}};
  };
  const std::string target = Workspace("");
  EXPECT_EQ(AskFrom(kElsewhere, "GET", target, "", {}).status, 401);
  EXPECT_EQ(AskFrom(kElsewhere, "GET", target, "", bearer(reader_)).status, 200);
  EXPECT_EQ(AskFrom(kElsewhere, "PUT", target, "", bearer(reader_)).status, 403);
  EXPECT_EQ(AskFrom(kElsewhere, "PUT", target, "", bearer(writer_)).status, 200);
}

TEST_F(AzureTokens, ARefusalIsReadByBothKindsOfClients) {
  const HttpResponse refused = AskFrom(kElsewhere, "GET", Workspace(""), "", {});
  const Json json = JsonOf(refused);
  EXPECT_EQ(json["statusCode"], 401);
  EXPECT_EQ(json["message"], json["error"]["message"]);
  EXPECT_TRUE(refused.headers.Get("WWW-Authenticate"));
}

TEST_F(AzureTokens, MetadataAndDiscoveryAskForNothing) {
  EXPECT_EQ(AskFrom(kElsewhere, "GET", "/metadata/endpoints", "", {}).status, 200);
  EXPECT_EQ(AskFrom(kElsewhere, "GET", "/discovery", "", {}).status, 200);
  EXPECT_EQ(AskFrom(kElsewhere, "GET", "/subscriptions", "", {}).status, 401);
}

TEST(AzureSecret, IsMadeOnceForItsUserAlone) {
  const TemporaryDirectory folder;
  const auto file = folder / "azure.key";
  const auto made = LoadAzureSecret(file);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->size(), 32u);
  EXPECT_EQ(*LoadAzureSecret(file), *made);
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::resize_file(file, 5);
  EXPECT_FALSE(LoadAzureSecret(file));
}

}  // namespace
}  // namespace mlprof::server
