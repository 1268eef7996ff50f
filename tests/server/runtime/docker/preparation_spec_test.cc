#include "server/runtime/docker/preparation_spec.h"

#include <gtest/gtest.h>

#include "server/runtime/docker/container_spec.h"

namespace mlprof::docker {
namespace {

PipHost HostWith(std::map<std::string, std::string> environment) {
  PipHost host;
  host.environment = std::move(environment);
  host.exists = [](const std::filesystem::path&) { return false; };
  host.read = [](const std::filesystem::path&) { return std::string(); };
  return host;
}

// On the host's network a package's code would be a local caller of this server.
TEST(PreparationSpec, NeverUsesTheHostsNetwork) {
  for (const char* proxy : {"", "http://127.0.0.1:3128", "http://u:p@localhost:3128", "[::1]:3128",
                            "http://0.0.0.0:1", "socks5://127.0.0.1:1080", "https://127.0.0.1:3128",
                            "http://proxy.corp:3128", "nonsense://"}) {
    for (const char* name : {"PIP_PROXY", "HTTPS_PROXY", "http_proxy", "ALL_PROXY"}) {
      Preparation preparation;
      preparation.pip = PipSettingsOf(HostWith({{name, proxy}}));
      const Json spec = PreparationSpec(preparation);
      EXPECT_EQ(spec["HostConfig"]["NetworkMode"], "bridge") << name << '=' << proxy;
      EXPECT_EQ(DumpJson(spec).find("\"host\""), std::string::npos) << name << '=' << proxy;
    }
  }
}

TEST(ContainerSpec, NeverUsesTheHostsNetwork) {
  for (const NetworkMode network : {NetworkMode::kNone, NetworkMode::kBridge}) {
    for (const bool root : {false, true}) {
      LaunchRequest request;
      request.config.service = ImageConfig{};
      request.config.network = network;
      request.config.run_as_root = root;
      const Json spec = ContainerSpec(request, {}, "i", Isolation::kDefault);
      EXPECT_EQ(spec["HostConfig"]["NetworkMode"],
                network == NetworkMode::kNone ? "none" : "bridge");
      EXPECT_EQ(DumpJson(spec).find("\"host\""), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace mlprof::docker
