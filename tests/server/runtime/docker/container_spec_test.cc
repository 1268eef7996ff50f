#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "server/runtime/docker/container_spec.h"
#include "tests/fakes/folder_input.h"

namespace mlprof::server::docker {
namespace {

LaunchRequest Request() {
  LaunchRequest request;
  request.container_name = "mlprof-p-1";
  request.profile_id = "p";
  request.image.image_id = "sha256:1234";
  request.config.service = ImageConfig{};
  request.limits = {Cores(0.5), MiB(512)};
  return request;
}

ContainerPlaces Places(const LaunchRequest& request) {
  return {"/opt/mlprof-agent",
          "/data/run/1/agent.sock",
          {{"/data/models/a", "/var/azureml-app/azureml-models/a/1"}},
          ScratchFolders(request, "/data/scratch/c").value()};
}

Json Golden(const std::string& name) {
  std::ifstream file(std::string(MLPROF_SOURCE_DIR) + "/tests/golden/docker/" + name);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return ParseJson(text).value();
}

TEST(ContainerSpecTest, GivesAModelWhatTheGoldenFileSays) {
  const LaunchRequest request = Request();
  const Json spec = ContainerSpec(request, Places(request), "i1", Isolation::kDefault);
  EXPECT_EQ(spec, Golden("create.json")) << DumpJsonIndented(spec);
}

TEST(ContainerSpecTest, GivesWhatWasAskedForAndNoMore) {
  LaunchRequest request = Request();
  request.config.run_as_root = true;
  request.config.network = NetworkMode::kBridge;
  request.config.shm_size = MiB(128);
  request.config.writable_paths = {"/var/cache/x"};
  request.image.volumes = {"/data/"};
  const Json spec = ContainerSpec(request, Places(request), "i1", Isolation::kGvisor);
  EXPECT_EQ(spec, Golden("create_everything.json")) << DumpJsonIndented(spec);
}

TEST(ContainerSpecTest, ShowsAModelNoDeviceButThoseOfItsProfile) {
  LaunchRequest request = Request();
  const auto spec = [&](DeviceAccess access) {
    return ContainerSpec(request, Places(request), "i1", Isolation::kDefault, access);
  };
  const Json none = Json::array({"NVIDIA_VISIBLE_DEVICES=void"});
  EXPECT_EQ(spec(DeviceAccess::kRequest)["Env"], none);
  EXPECT_EQ(spec(DeviceAccess::kEnvironment)["Env"], none);
  request.devices = {"GPU-1"};
  EXPECT_EQ(spec(DeviceAccess::kCdi)["Env"], none) << "the engine gives it by its own way";
  EXPECT_FALSE(spec(DeviceAccess::kRequest).contains("Env")) << "the engine says it";
  EXPECT_EQ(spec(DeviceAccess::kEnvironment)["Env"][0], "NVIDIA_VISIBLE_DEVICES=GPU-1");
  request.image.environment["NVIDIA_DRIVER_CAPABILITIES"] = "video";
  EXPECT_EQ(spec(DeviceAccess::kEnvironment)["Env"].size(), 1U) << "the image says which";
}

TEST(ContainerSpecTest, GivesAModelTheFilesOfItsTpuAndLockedMemory) {
  LaunchRequest request = Request();
  const auto host = [&] {
    return ContainerSpec(request, Places(request), "i1", Isolation::kDefault)["HostConfig"];
  };
  EXPECT_FALSE(host().contains("Devices"));
  EXPECT_FALSE(host().contains("Ulimits"));
  request.device_files = {"/dev/vfio/0", "/dev/vfio/vfio"};
  const Json given = host();
  ASSERT_EQ(given["Devices"].size(), 2U);
  EXPECT_EQ(given["Devices"][0]["PathOnHost"], "/dev/vfio/0");
  EXPECT_EQ(given["Devices"][0]["PathInContainer"], "/dev/vfio/0");
  EXPECT_EQ(given["Devices"][0]["CgroupPermissions"], "rw");
  EXPECT_EQ(given["Ulimits"], ParseJson(R"([{"Name":"memlock","Soft":-1,"Hard":-1}])").value());
  EXPECT_FALSE(given.contains("DeviceRequests"));
  EXPECT_EQ(given["CapDrop"], Json::array({"ALL"})) << "no right more than without";
}

TEST(ContainerSpecTest, NeverUsesNanoCpus) {
  const LaunchRequest request = Request();
  const Json spec = ContainerSpec(request, Places(request), "i1", Isolation::kDefault);
  EXPECT_FALSE(spec["HostConfig"].contains("NanoCpus"));
  EXPECT_EQ(spec["HostConfig"]["CpuQuota"], 50'000);
}

std::vector<std::string> ContainerPaths(const LaunchRequest& request) {
  std::vector<std::string> paths;
  const auto folders = ScratchFolders(request, "/s");
  if (!folders) return {folders.error().message()};
  for (const ScratchFolder& folder : *folders) paths.push_back(folder.container);
  return paths;
}

TEST(ScratchFoldersTest, HasOneFolderForWhatLiesWithinAnother) {
  LaunchRequest request = Request();
  request.config.writable_paths = {"/var/x/y", "/var/x", "/tmp/z", "/var/xy"};
  request.image.volumes = {"/var/x/"};
  EXPECT_EQ(ContainerPaths(request),
            (std::vector<std::string>{"/tmp", "/home/mlprof", "/var/x", "/var/xy"}));
}

// Docker gives each of them that nothing is mounted at exactly a volume without a bound.
TEST(ScratchFoldersTest, HasOneForEachVolumeOfTheImageAlsoWithinAnother) {
  LaunchRequest request = Request();
  request.config.writable_paths = {"/data/x", "/data"};
  request.image.volumes = {"/tmp/cache", "/data/sub/", "/data", "/tmp"};
  EXPECT_EQ(ContainerPaths(request),
            (std::vector<std::string>{"/tmp", "/home/mlprof", "/data", "/data/sub", "/tmp/cache"}));
}

TEST(ScratchFoldersTest, RefusesWhatIsNotTheModels) {
  for (const char* path : {"", "relative", "/", "//", "/a/../..", "/proc/x", "/sys", "/dev/shm",
                           "/.mlprof", "/var/../proc"}) {
    LaunchRequest request = Request();
    request.config.writable_paths = {path};
    EXPECT_FALSE(ScratchFolders(request, "/s")) << path;
  }
}

class FarContent final : public ContentReader {
 public:
  std::optional<std::filesystem::path> LocalDirectory() const override { return std::nullopt; }
  Result<std::unique_ptr<ByteSource>> OpenTar() const override { return Fail(NotFound("far")); }
  Result<std::string> ReadFile(const std::string&, Bytes) const override {
    return Fail(NotFound("far"));
  }
};

TEST(LocalInputsTest, AreTheFoldersOfThisMachine) {
  const auto local = LocalInputs({fakes::FolderInput("/data/a", "/models/a")});
  ASSERT_TRUE(local) << local.error().message();
  ASSERT_EQ(local->size(), 1u);
  EXPECT_EQ(local->front().here, "/data/a");
  EXPECT_EQ(local->front().inside, "/models/a");
}

TEST(LocalInputsTest, RefusesWhatLiesOnNoDiskOfThisMachine) {
  const ContentInput far{"", Bytes(), "/models/b", std::make_shared<FarContent>()};
  const auto local = LocalInputs({fakes::FolderInput("/data/a", "/models/a"), far});
  ASSERT_FALSE(local);
  EXPECT_EQ(local.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(local.error().message(), ::testing::HasSubstr("/models/b"));
}

}  // namespace
}  // namespace mlprof::server::docker
