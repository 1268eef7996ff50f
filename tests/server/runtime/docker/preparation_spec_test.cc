#include "server/runtime/docker/preparation_spec.h"

#include <gtest/gtest.h>

#include "server/runtime/docker/container_spec.h"
#include "server/runtime/environment/environment_recipe.h"

namespace mlprof::server::docker {
namespace {

environment::PipHost HostWith(std::map<std::string, std::string> environment) {
  environment::PipHost host;
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
      preparation.pip = environment::PipSettingsOf(HostWith({{name, proxy}}));
      const Json spec = PreparationSpec(preparation);
      EXPECT_EQ(spec["HostConfig"]["NetworkMode"], "bridge") << name << '=' << proxy;
      EXPECT_EQ(DumpJson(spec).find("\"host\""), std::string::npos) << name << '=' << proxy;
    }
  }
}

// Docker gives each of them that nothing is mounted at exactly a volume without a bound.
TEST(PreparationSpec, MountsABoundedFolderAtEachVolumeOfTheBaseImage) {
  Preparation preparation;
  const auto folders = PreparationFolders({"/data/", "/tmp/cache", "/tmp", "/data"}, "/s");
  ASSERT_TRUE(folders) << folders.error().message();
  preparation.folders = *folders;
  const Json spec = PreparationSpec(preparation);
  std::map<std::string, std::string> places;
  for (const Json& mount : spec["HostConfig"]["Mounts"]) {
    const bool bind = mount["Type"] == "bind";
    const Json& source =
        bind ? mount["Source"] : mount["VolumeOptions"]["DriverConfig"]["Options"]["device"];
    places[mount["Target"].get<std::string>()] = source.get<std::string>();
  }
  EXPECT_EQ(places["/tmp"], "/s/tmp");
  EXPECT_EQ(places["/opt/mlprof/venv"], "/s/venv");
  EXPECT_EQ(places["/data"], "/s/volume-2");
  EXPECT_EQ(places["/tmp/cache"], "/s/volume-3");
}

TEST(PreparationSpec, RefusesVolumesThatCannotBeBoundedOrKept) {
  for (const char* path : {"/opt", "/opt/mlprof/venv", "/opt/mlprof/venv/x", "/run/mlprof/x",
                           "/proc/x", "/dev", "/.mlprof", "/", "data"}) {
    EXPECT_FALSE(PreparationFolders({path}, "/s")) << path;
  }
}

TEST(KeepingSpec, HasAnEmptyPlaceAtEachVolumeOfTheBaseImage) {
  Keeping keeping;
  keeping.volumes = {"/data", "/tmp"};
  const Json spec = KeepingSpec(keeping);
  std::map<std::string, std::int64_t> sizes;
  for (const Json& mount : spec["HostConfig"]["Mounts"]) {
    if (mount["Type"] != "tmpfs") continue;
    sizes[mount["Target"].get<std::string>()] =
        mount["TmpfsOptions"]["SizeBytes"].get<std::int64_t>();
  }
  EXPECT_EQ(sizes, (std::map<std::string, std::int64_t>{{"/data", 65536}, {"/tmp", 65536}}));
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

TEST(PreparationSpec, HandsPackagesToTheScriptAsArgumentsOnly) {
  Preparation preparation;
  preparation.packages = {"numpy; python_version < \"4\""};
  const Json spec = PreparationSpec(preparation);
  EXPECT_EQ(spec["Cmd"][1], environment::kPreparationScript);
  EXPECT_EQ(spec["Cmd"][3], "numpy; python_version < \"4\"");
  EXPECT_FALSE(spec.contains("Env"));
  EXPECT_EQ(spec["HostConfig"]["CapDrop"], Json::array({"ALL"}));
  EXPECT_FALSE(spec["HostConfig"].contains("CapAdd"));
}

TEST(PreparationSpec, PackageCodeWritesToTheBoundedFoldersAlone) {
  Preparation preparation;
  preparation.folders = PreparationFolders({}, "/data/scratch/p/volume").value();
  const Json host = PreparationSpec(preparation)["HostConfig"];
  EXPECT_EQ(host["ReadonlyRootfs"], true);
  std::map<std::string, std::string> writable;
  for (const Json& mount : host["Mounts"]) {
    if (!mount.contains("ReadOnly")) {
      writable[mount["Target"].get<std::string>()] = mount["Source"].get<std::string>();
    }
  }
  EXPECT_EQ(writable, (std::map<std::string, std::string>{
                          {"/tmp", "/data/scratch/p/volume/tmp"},
                          {"/opt/mlprof/venv", "/data/scratch/p/volume/venv"}}));
}

TEST(PreparationSpec, NothingOfTheImageRunsWhereAnEnvironmentIsKept) {
  Keeping keeping;
  keeping.agent_binary = "/opt/mlprof-agent";
  keeping.environment = "/data/scratch/p/volume/venv";
  keeping.bytes = GiB(20);
  keeping.files = 1'000;
  const Json spec = KeepingSpec(keeping);
  EXPECT_EQ(spec["Entrypoint"], Json::array({"/run/mlprof/agent"}));
  EXPECT_EQ(spec["Cmd"], Json::array({"--copy-tree", "/run/mlprof/environment", "/opt/mlprof/venv",
                                      "21474836480", "1000"}));
  const Json& host = spec["HostConfig"];
  EXPECT_EQ(host["NetworkMode"], "none");
  EXPECT_EQ(host["CapDrop"], Json::array({"ALL"}));
  for (const Json& mount : host["Mounts"]) EXPECT_EQ(mount["ReadOnly"], true) << mount;
}

}  // namespace
}  // namespace mlprof::server::docker
