#include "server/app/listening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/app/server_address.h"

namespace mlprof::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ServerOptions Told(const std::vector<std::string>& arguments) {
  return ParseServerOptions(arguments, [](const std::string&) { return std::nullopt; }).value();
}

std::string WhyNot(const std::vector<std::string>& arguments, bool has_token) {
  const Status allowed = CheckListening(Told(arguments), has_token);
  return allowed ? "" : allowed.error().message();
}

TEST(ListeningTest, NeedsNoTokenOnLoopback) {
  for (const char* address : {"127.0.0.1:1", "[::1]:1", "127.0.0.9:1", "localhost:1"}) {
    EXPECT_EQ(WhyNot({"--listen", address, "--tls-listen", address}, false), "") << address;
  }
}

TEST(ListeningTest, NeedsATokenBeyondLoopback) {
  for (const char* address : {"0.0.0.0:1", "[::]:1", "192.0.2.1:1", "128.0.0.1:1"}) {
    EXPECT_THAT(WhyNot({"--tls-listen", address}, false), HasSubstr("mlprof token create"));
    EXPECT_THAT(WhyNot({"--tls-listen", address}, false), HasSubstr("--allow-without-token"));
    EXPECT_EQ(WhyNot({"--tls-listen", address}, true), "");
    EXPECT_EQ(WhyNot({"--tls-listen", address, "--allow-without-token"}, false), "");
  }
}

TEST(ListeningTest, SendsTokensInTheClearOnlyWhenToldTo) {
  const std::vector<std::string> plain = {"--listen", "0.0.0.0:1"};
  EXPECT_THAT(WhyNot(plain, true), HasSubstr("--tls-listen 0.0.0.0:PORT"));
  EXPECT_THAT(WhyNot(plain, true), HasSubstr("--allow-plain-http"));
  EXPECT_EQ(WhyNot({"--listen", "0.0.0.0:1", "--allow-plain-http"}, true), "");
  EXPECT_THAT(WhyNot({"--listen", "0.0.0.0:1", "--allow-plain-http"}, false),
              HasSubstr("mlprof token create"));
  EXPECT_EQ(WhyNot({"--listen", "0.0.0.0:1", "--allow-without-token"}, false), "");
}

TEST(ListeningTest, NeedsATokenWhereEverybodyIsAskedForOne) {
  EXPECT_THAT(WhyNot({"--require-token"}, false), HasSubstr("mlprof token create"));
  EXPECT_EQ(WhyNot({"--require-token"}, true), "");
}

int StatusFor(const std::vector<std::string>& arguments, const std::string& host,
              const std::string& peer) {
  AccessRules access;
  access.SetPorts(8080, 8443);
  Introduce(Told(arguments), access);
  HttpRequest request;
  request.method = "GET";
  request.remote_address = peer;
  request.headers.Add("Host", host);
  const auto refusal = access.Check(request);
  return refusal ? refusal->status : 0;
}

TEST(ListeningTest, DecidesWhichAddressesAreOurs) {
  EXPECT_EQ(StatusFor({}, "192.0.2.1:8080", "127.0.0.1"), 403);
  EXPECT_EQ(StatusFor({"--listen", "0.0.0.0:8080"}, "192.0.2.1:8080", "192.0.2.9"), 401);
  EXPECT_EQ(StatusFor({"--listen", "127.0.0.2:8080"}, "127.0.0.2:8080", "127.0.0.1"), 0);
  EXPECT_EQ(StatusFor({"--public-url", "https://Box.example/"}, "box.example", "127.0.0.1"), 401);
  EXPECT_EQ(StatusFor({"--allow-without-token", "--public-url", "https://box.example:99"},
                      "box.example:99", "192.0.2.9"),
            0);
}

TEST(ListeningTest, PutsEveryNameIntoTheCertificate) {
  const ServerNames names =
      CertificateNames(Told({"--listen", "192.0.2.1:1", "--tls-listen", "[2001:db8::1]:1",
                             "--public-url", "https://box.example:8443"}),
                       "machine");
  EXPECT_THAT(names.dns, ElementsAre("localhost", "machine", "box.example"));
  EXPECT_THAT(names.addresses, ElementsAre("127.0.0.1", "::1", "192.0.2.1", "2001:db8::1"));
}

TEST(ListeningTest, TellsAzureClientsWhereTheServerIs) {
  AzureAddress address = AzureAddressOf(Told({"--listen", "0.0.0.0:0"}), 8080, 0);
  EXPECT_EQ(address.http_base, "http://127.0.0.1:8080");
  EXPECT_EQ(address.https_base, "");
  EXPECT_EQ(address.https_authority, "");
  address = AzureAddressOf(Told({"--tls-listen", "[::1]:0"}), 8080, 8443);
  EXPECT_EQ(address.https_base, "https://[::1]:8443");
  EXPECT_EQ(address.https_authority, "[::1]:8443");
  address = AzureAddressOf(
      Told({"--tls-listen", "0.0.0.0:0", "--public-url", "https://box.example"}), 8080, 8443);
  EXPECT_EQ(address.http_base, "http://127.0.0.1:8080");
  EXPECT_EQ(address.https_base, "https://box.example");
  EXPECT_EQ(address.https_authority, "box.example");
}

TEST(PublicUrlTest, IsASchemeAHostAndPerhapsAPort) {
  EXPECT_EQ(ParsePublicUrl("https://Box.Example/").value(), "https://box.example");
  EXPECT_EQ(ParsePublicUrl("http://192.0.2.1:8080").value(), "http://192.0.2.1:8080");
  EXPECT_EQ(HostOfUrl(ParsePublicUrl("https://[2001:db8::1]:1").value()), "[2001:db8::1]");
  for (const char* url :
       {"", "box.example", "ftp://box", "https://", "https://box/path", "https://box:0",
        "https://box:65536", "https://box:", "https://user@box", "https://a b", "https://0.0.0.0",
        "https://box?x", "https://box#x", "https://[::1", "https://::1"}) {
    EXPECT_FALSE(ParsePublicUrl(url)) << url;
  }
}

}  // namespace
}  // namespace mlprof::server
