#include "server/runtime/environment/pip_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace mlprof::server::environment {
namespace {

PipHost Host(std::map<std::string, std::string> environment, std::vector<std::string> existing,
             const std::map<std::string, std::string>& files = {}) {
  PipHost host;
  host.environment = std::move(environment);
  for (const auto& [path, content] : files) {
    host.config_files.emplace_back(path);
    existing.push_back(path);
  }
  host.exists = [existing](const std::filesystem::path& path) {
    return std::find(existing.begin(), existing.end(), path.string()) != existing.end();
  };
  host.read = [files](const std::filesystem::path& path) { return files.at(path.string()); };
  return host;
}

TEST(PipSettingsTest, CarriesTheIndexOverAndLeavesPlacesOut) {
  const PipSettings settings = PipSettingsOf(Host(
      {{"PIP_INDEX_URL", "https://mirror/simple"}, {"PIP_TARGET", "/elsewhere"}, {"SECRET", "x"}},
      {}));
  EXPECT_EQ(settings.environment,
            (std::map<std::string, std::string>{{"PIP_INDEX_URL", "https://mirror/simple"}}));
  EXPECT_TRUE(settings.proxies.empty());
}

TEST(PipSettingsTest, LendsFoldersOfWheelsThatExist) {
  const PipSettings settings =
      PipSettingsOf(Host({{"PIP_FIND_LINKS", "/opt/wheels /gone https://links"}}, {"/opt/wheels"}));
  EXPECT_EQ(settings.environment.at("PIP_FIND_LINKS"), "/run/mlprof/0 https://links");
  ASSERT_EQ(settings.files.size(), 1u);
  EXPECT_EQ(settings.files[0].here, "/opt/wheels");
}

TEST(PipSettingsTest, PrefersPipsOwnCertificatesAndPointsAllThere) {
  const PipSettings settings =
      PipSettingsOf(Host({{"PIP_CERT", "/ca/pip.pem"}, {"SSL_CERT_FILE", "/ca/ssl.pem"}},
                         {"/ca/pip.pem", "/ca/ssl.pem", "/etc/ssl/certs/ca-certificates.crt"}));
  ASSERT_EQ(settings.files.size(), 1u);
  EXPECT_EQ(settings.files[0].here, "/ca/pip.pem");
  for (const char* name : {"PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"}) {
    EXPECT_EQ(settings.environment.at(name), "/run/mlprof/0");
  }
}

TEST(PipSettingsTest, ReadsConfigFilesAndLetsVariablesWin) {
  const PipSettings settings = PipSettingsOf(
      Host({{"PIP_TIMEOUT", "9"}}, {},
           {{"/etc/pip.conf",
             "[global]\ntimeout = 5\nindex_url: https://a\ntrusted-host =\n    a\n    b\n"
             "[list]\nretries = 7\n[install]\nno-index = true\nprefix = /x\n"}}));
  EXPECT_EQ(settings.environment,
            (std::map<std::string, std::string>{{"PIP_TIMEOUT", "9"},
                                                {"PIP_INDEX_URL", "https://a"},
                                                {"PIP_TRUSTED_HOST", "a b"},
                                                {"PIP_NO_INDEX", "true"}}));
}

TEST(PipSettingsTest, LendsProxiesThroughRelaysAndKeepsTheirLogins) {
  const PipSettings settings =
      PipSettingsOf(Host({{"PIP_PROXY", "http://us%40er:p%3Aw@LocalHost:3128/"},
                          {"https_proxy", "us%40er:p%3Aw@localhost.:3128"},
                          {"HTTP_PROXY", "http://[::1]"},
                          {"ALL_PROXY", "http://proxy.corp:8080"},
                          {"NO_PROXY", "127.0.0.1,.corp"}},
                         {}));
  EXPECT_EQ(settings.environment,
            (std::map<std::string, std::string>{{"PIP_PROXY", "http://127.0.0.1:3128"},
                                                {"https_proxy", "http://127.0.0.1:3128"},
                                                {"HTTP_PROXY", "http://127.0.0.1:3129"},
                                                {"ALL_PROXY", "http://127.0.0.1:3130"},
                                                {"NO_PROXY", "127.0.0.1,.corp"}}));
  EXPECT_EQ(settings.proxies,
            (std::vector<HttpProxy>{{{"localhost", 3128}, "Basic dXNAZXI6cDp3"},  // us@er:p:w
                                    {{"::1", 80}, ""},
                                    {{"proxy.corp", 8080}, ""}}));
  EXPECT_TRUE(settings.notes.empty());
}

TEST(PipSettingsTest, TellsOfProxiesOnLoopbackThatCannotBeLent) {
  for (const char* proxy :
       {"socks5://u:secret@127.0.0.1:1080", "https://u:secret@localhost:3129"}) {
    const PipSettings settings =
        PipSettingsOf(Host({{"ALL_PROXY", proxy}, {"PIP_PROXY", proxy}}, {}));
    EXPECT_TRUE(settings.environment.empty()) << proxy;
    ASSERT_EQ(settings.notes.size(), 1u) << proxy;
    EXPECT_EQ(settings.notes[0].find("secret"), std::string::npos);
    EXPECT_NE(settings.notes[0].find("HTTPS_PROXY"), std::string::npos);
  }
  const PipSettings remote = PipSettingsOf(Host({{"ALL_PROXY", "socks5://10.0.0.1:1080"}}, {}));
  EXPECT_EQ(remote.environment.at("ALL_PROXY"), "socks5://10.0.0.1:1080");
  EXPECT_TRUE(remote.notes.empty());
}

TEST(PipSettingsTest, TellsOfAnIndexOnLoopback) {
  const PipSettings settings = PipSettingsOf(
      Host({{"PIP_INDEX_URL", "http://u:secret@127.0.0.1:3141/root"},
            {"PIP_EXTRA_INDEX_URL", "https://mirror.corp/simple http://10.0.0.1:8081/x"}},
           {}));
  EXPECT_EQ(settings.named,
            (std::vector<HostPort>{{"127.0.0.1", 3141}, {"mirror.corp", 443}, {"10.0.0.1", 8081}}));
  ASSERT_EQ(settings.notes.size(), 1u);
  EXPECT_NE(settings.notes[0].find("index-url http://127.0.0.1:3141"), std::string::npos)
      << settings.notes[0];
}

TEST(PipSecretsTest, AreFoundWhereverTheyAreConfigured) {
  PipHost host = Host({{"PIP_EXTRA_INDEX_URL", "https://a:one-secret@x/ https://b:two-secret@y/"},
                       {"all_proxy", "socks5://c:three-secret@h:1"},
                       {"FTP_PROXY", "d:four-secret@h:1"}},
                      {},
                      {{"/etc/pip.conf",
                        "[global]\nproxy = e:five-secret@h:1\n[list]\n"
                        "index-url = https://f:six-secret@h\n"},
                       {"/etc/apt/auth.conf", "machine m login g password seven-secret"}});
  host.config_files = {"/etc/pip.conf"};
  host.credential_files = {"/etc/apt/auth.conf", "/etc/apt/none"};
  const SecretMask mask = SecretsOf(host);
  for (const char* number : {"one", "two", "three", "four", "five", "six", "seven"}) {
    EXPECT_EQ(mask.Masked(std::string(number) + "-secret"), "***");
  }
}

TEST(PipSecretsTest, ANameAloneIsOneWhereItIsConfiguredForPackages) {
  PipHost host = Host({{"BACKUP", "ssh://root@host/x"},
                       {"DATABASE", "postgres://model:admin@db postgres://model:db-secret@db"},
                       {"PIP_INDEX_URL", "https://index-token@x/"},
                       {"https_proxy", "proxy-token@h:1"}},
                      {}, {{"/etc/apt/sources.list", "deb https://apt-token@mirror stable main"}});
  host.credential_files = std::exchange(host.config_files, {});
  const SecretMask mask = SecretsOf(host);
  EXPECT_EQ(mask.Masked("root and admin log in to model"), "root and admin log in to model");
  EXPECT_EQ(mask.Masked("model:admin db-secret"), "*** ***");
  EXPECT_EQ(mask.Masked("index-token proxy-token apt-token"), "*** *** ***");
}

TEST(ShellExportsTest, QuotesEveryValue) {
  EXPECT_EQ(ShellExports({{"A", "it's $(id)\nx"}, {"B-C", "no"}}),
            "export A='it'\\''s $(id)\nx'\n");
}

}  // namespace
}  // namespace mlprof::server::environment
