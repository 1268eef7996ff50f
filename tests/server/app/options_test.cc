#include "server/app/options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace mlprof::server {
namespace {

GetEnvironment Environment(const std::map<std::string, std::string>& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "mlprof-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(path()) << text;
  }
  ~ConfigFile() { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "config.json").string(); }

 private:
  std::filesystem::path folder_;
};

std::string WhyNot(const std::vector<std::string>& arguments) {
  const auto options = ParseServerOptions(arguments, Environment({}));
  return options ? "" : options.error().message();
}

TEST(ServerOptionsTest, HaveDefaultsThatWork) {
  const auto options = ParseServerOptions({}, Environment({{"HOME", "/home/a"}}));
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->listen, (ListenAddress{"127.0.0.1", 8080}));
  EXPECT_FALSE(options->tls_listen.has_value());
  EXPECT_EQ(options->data_dir, "/home/a/.local/share/mlprof");
  EXPECT_EQ(options->runtime, "docker");
  EXPECT_FALSE(options->exit_when_unused.has_value());
}

TEST(ServerOptionsTest, TakeABudgetForProfilesThatAskForNone) {
  const auto options = ParseServerOptions({"--budget-seconds", "30"}, Environment({}));
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->budget, std::chrono::seconds(30));
  for (const char* wrong : {"0", "-1", "86401", "1.5", "", "ten", "99999999999"}) {
    EXPECT_NE(WhyNot({"--budget-seconds", wrong}), "") << wrong;
  }
}

TEST(ServerOptionsTest, KeepWhatGrowsWithinLimitsUnlessToldOtherwise) {
  const auto told = ParseServerOptions({"--keep-images-days", "7", "--keep-images-gb=0.5",
                                        "--keep-samples-days", "0", "--keep-samples-gb", "0"},
                                       Environment({}));
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->retention.images.age, std::chrono::hours(7 * 24));
  EXPECT_EQ(told->retention.images.size, MiB(512));
  EXPECT_FALSE(told->retention.samples.age);
  EXPECT_FALSE(told->retention.samples.size);
  const auto untold = ParseServerOptions({}, Environment({}));
  EXPECT_EQ(untold->retention.images.age, std::chrono::hours(30 * 24));
  EXPECT_EQ(untold->retention.images.size, GiB(20));
  EXPECT_EQ(untold->retention.samples.age, std::chrono::hours(90 * 24));
  EXPECT_EQ(untold->retention.samples.size, GiB(10));
  for (const char* wrong : {"-1", "x", "", "1.5", "99999999999"}) {
    EXPECT_NE(WhyNot({"--keep-images-days", wrong}), "") << wrong;
  }
  EXPECT_NE(WhyNot({"--keep-samples-gb", "-1"}), "");
}

TEST(ServerOptionsTest, TakeFlagsBeforeVariablesBeforeTheFile) {
  const ConfigFile config(R"({"listen": "127.0.0.1:1", "dataDir": "/file", "baseImage": "file"})");
  const auto options = ParseServerOptions(
      {"--config", config.path(), "--listen=127.0.0.1:3"},
      Environment({{"MLPROF_LISTEN", "127.0.0.1:2"}, {"MLPROF_DATA_DIR", "/variable"}}));
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->listen.port, 3);
  EXPECT_EQ(options->data_dir, "/variable");
  EXPECT_EQ(options->base_image, "file");
}

TEST(ServerOptionsTest, TakeAddressesToListenOn) {
  const auto options = ParseServerOptions(
      {"--listen", "localhost:0", "--tls-listen", "[2001:db8::1]:8443"}, Environment({}));
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->listen, (ListenAddress{"127.0.0.1", 0}));
  EXPECT_EQ(options->tls_listen, (ListenAddress{"2001:db8::1", 8443}));
}

TEST(ServerOptionsTest, RefuseABadAddressOrPort) {
  for (const char* listen : {"127.0.0.1:65536", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1",
                             "box.example:80", ":80", "1.2.3:80", ""}) {
    EXPECT_NE(WhyNot({"--listen", listen}).find("--listen"), std::string::npos) << listen;
    EXPECT_NE(WhyNot({"--tls-listen", listen}).find("--tls-listen"), std::string::npos) << listen;
  }
}

TEST(ServerOptionsTest, TakeFlagsWithoutAValue) {
  auto options = ParseServerOptions({"--require-token", "--listen", "127.0.0.1:1"},
                                    Environment({{"MLPROF_ALLOW_PLAIN_HTTP", "1"}}));
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->require_token);
  EXPECT_TRUE(options->allow_plain_http);
  EXPECT_FALSE(options->allow_without_token);
  EXPECT_FALSE(options->keep_root_read_only);
  EXPECT_EQ(options->listen.port, 1);
  const ConfigFile config(
      R"({"requireToken": true, "allowPlainHttp": true, "keepRootReadOnly": true})");
  options = ParseServerOptions({"--config", config.path(), "--allow-plain-http=false"},
                               Environment({{"MLPROF_REQUIRE_TOKEN", "false"}}));
  ASSERT_TRUE(options.has_value());
  EXPECT_FALSE(options->require_token);
  EXPECT_FALSE(options->allow_plain_http);
  EXPECT_TRUE(options->keep_root_read_only);
  EXPECT_NE(WhyNot({"--require-token=maybe"}), "");
  const ConfigFile text(R"({"requireToken": "true"})");
  EXPECT_NE(WhyNot({"--config", text.path()}).find("requireToken"), std::string::npos);
}

TEST(ServerOptionsTest, RefuseFlagsThatDoNotGoTogether) {
  EXPECT_NE(WhyNot({"--tls-cert", "a", "--tls-listen", "127.0.0.1:1"}), "");
  EXPECT_NE(WhyNot({"--tls-key", "a", "--tls-listen", "127.0.0.1:1"}), "");
  EXPECT_NE(WhyNot({"--tls-cert", "a", "--tls-key", "b"}), "");
  EXPECT_EQ(WhyNot({"--tls-cert", "a", "--tls-key", "b", "--tls-listen", "127.0.0.1:1"}), "");
  EXPECT_NE(WhyNot({"--require-token", "--allow-without-token"}), "");
  EXPECT_NE(WhyNot({"--public-url", "https://box/path"}).find("--public-url"), std::string::npos);
}

TEST(ServerOptionsTest, TakeRegistriesByTheirHosts) {
  const auto options =
      ParseServerOptions({"--registries", "one.example,two.example:5000"}, Environment({}));
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->registries, (std::vector<std::string>{"one.example", "two.example:5000"}));
  EXPECT_NE(WhyNot({"--registries", "https://one.example"}).find("--registries"),
            std::string::npos);
}

TEST(ServerOptionsTest, TakeTheAddressesOfProfilerServersOneByOneOrTogether) {
  const std::vector<profiler::ProfilerAddress> both = {{"127.0.0.1", 9012}, {"::1", 9013}};
  const auto one_by_one = ParseServerOptions(
      {"--capture-address", "127.0.0.1:9012", "--capture-address=[::1]:9013"}, Environment({}));
  ASSERT_TRUE(one_by_one.has_value());
  EXPECT_EQ(one_by_one->capture_addresses, both);
  const auto together = ParseServerOptions(
      {}, Environment({{"MLPROF_CAPTURE_ADDRESS", "127.0.0.1:9012,[::1]:9013"}}));
  ASSERT_TRUE(together.has_value());
  EXPECT_EQ(together->capture_addresses, both);
  EXPECT_TRUE(ParseServerOptions({}, Environment({}))->capture_addresses.empty());
  EXPECT_NE(WhyNot({"--capture-address", "127.0.0.1"}).find("--capture-address"),
            std::string::npos);
}

TEST(ServerOptionsTest, NameAnUnknownFlagAndAMissingValue) {
  EXPECT_NE(WhyNot({"--lisen", "x"}).find("--lisen"), std::string::npos);
  EXPECT_NE(WhyNot({"--data-dir"}).find("--data-dir wants a value"), std::string::npos);
}

TEST(ServerOptionsTest, RunModelsAsProcessesOnlyWhereTheServerIsToldSo) {
  EXPECT_EQ(ParseServerOptions({}, Environment({}))->runtime, "docker");
  EXPECT_EQ(ParseServerOptions({"--runtime", "process"}, Environment({}))->runtime, "process");
}

TEST(ServerOptionsTest, SayWhatComesWithALaterVersion) {
  const auto options = ParseServerOptions({"--runtime", "kubernetes"}, Environment({}));
  ASSERT_FALSE(options.has_value());
  EXPECT_EQ(options.error().code(), ErrorCode::kNotAvailable);
}

TEST(ServerOptionsTest, NameABadKeyOfTheConfigFile) {
  const ConfigFile config(R"({"datadir": "/x"})");
  EXPECT_NE(WhyNot({"--config", config.path()}).find("datadir"), std::string::npos);
  EXPECT_NE(WhyNot({"--config", "/nowhere/config.json"}).find("cannot be read"), std::string::npos);
}

TEST(ServerHelpTest, NamesEveryFlagThatWorks) {
  const std::string help = ServerHelp();
  for (const char* flag : {"--listen", "--data-dir", "--docker-host", "--base-image", "--agent",
                           "--tls-listen ADDRESS:PORT", "--require-token\n"}) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace mlprof::server
