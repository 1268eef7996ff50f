#include "server/runtime/docker/pip_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mlprof::docker {
namespace {

PipHost Host(std::map<std::string, std::string> environment, std::vector<std::string> existing,
             std::map<std::string, std::string> files = {}) {
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
  EXPECT_FALSE(settings.host_network);
}

TEST(PipSettingsTest, LendsFoldersOfWheelsThatExist) {
  const PipSettings settings =
      PipSettingsOf(Host({{"PIP_FIND_LINKS", "/opt/wheels /gone https://links"}}, {"/opt/wheels"}));
  EXPECT_EQ(settings.environment.at("PIP_FIND_LINKS"), "/run/mlprof/0 https://links");
  ASSERT_EQ(settings.mounts.size(), 1u);
  EXPECT_EQ(settings.mounts[0].host, "/opt/wheels");
}

TEST(PipSettingsTest, PrefersPipsOwnCertificatesAndPointsAllThere) {
  const PipSettings settings =
      PipSettingsOf(Host({{"PIP_CERT", "/ca/pip.pem"}, {"SSL_CERT_FILE", "/ca/ssl.pem"}},
                         {"/ca/pip.pem", "/ca/ssl.pem", "/etc/ssl/certs/ca-certificates.crt"}));
  ASSERT_EQ(settings.mounts.size(), 1u);
  EXPECT_EQ(settings.mounts[0].host, "/ca/pip.pem");
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

TEST(PipSettingsTest, TakesTheHostsNetworkForAProxyOnLoopback) {
  EXPECT_TRUE(PipSettingsOf(Host({{"https_proxy", "http://127.0.0.1:3128"}}, {})).host_network);
  EXPECT_TRUE(PipSettingsOf(Host({{"PIP_PROXY", "http://u:p@localhost:1"}}, {})).host_network);
  EXPECT_FALSE(PipSettingsOf(Host({{"https_proxy", "http://proxy:3128"}}, {})).host_network);
  EXPECT_FALSE(PipSettingsOf(Host({{"no_proxy", "127.0.0.1"}}, {})).host_network);
}

TEST(ShellExportsTest, QuotesEveryValue) {
  EXPECT_EQ(ShellExports({{"A", "it's $(id)\nx"}, {"B-C", "no"}}),
            "export A='it'\\''s $(id)\nx'\n");
}

}  // namespace
}  // namespace mlprof::docker
