#include "server/runtime/docker/preparation_spec.h"

#include "server/runtime/environment/environment_recipe.h"
#include "server/runtime/model_start.h"
#include "server/runtime/writable_path.h"

namespace mlprof::server::docker {
namespace {

// A file system in memory: the mount points that Docker makes in it do not become part of the
// image.
Json LentFolder() { return {{environment::kLentFolder, "size=1m,mode=755"}}; }

// In place of the volume without a bound that Docker would make.
Json EmptyPlace(const std::string& path) {
  constexpr std::int64_t kSize = 64 << 10;
  return {{"Type", "tmpfs"}, {"Target", path}, {"TmpfsOptions", {{"SizeBytes", kSize}}}};
}

// Whether a VOLUME of the base image would lie over the environment, which then could not become
// part of an image, or over what the host lends.
bool IsOurs(const std::string& path) {
  return IsWithin(path, kEnvironmentFolder) || IsWithin(kEnvironmentFolder, path) ||
         IsWithin(path, environment::kLentFolder);
}

}  // namespace

std::filesystem::path EnvironmentBelow(const std::filesystem::path& root) { return root / "venv"; }

Result<std::vector<ScratchFolder>> PreparationFolders(const std::vector<std::string>& volumes,
                                                      const std::filesystem::path& root) {
  const Result<std::vector<std::string>> paths = VolumePaths(volumes);
  if (!paths) return Fail(paths.error());
  std::vector<ScratchFolder> folders = {{root / "tmp", "/tmp", false},
                                        {EnvironmentBelow(root), kEnvironmentFolder, false}};
  for (const std::string& path : *paths) {
    if (IsOurs(path)) {
      return Fail(InvalidArgument("the base image has a VOLUME at " + path +
                                  ", where packages are installed from or to; use another one"));
    }
    if (path == "/tmp") continue;
    folders.push_back({root / ("volume-" + std::to_string(folders.size())), path, true});
  }
  return folders;
}

// Installing packages is running their code: root inside, since the image's files are root's, but
// without any capability. Nothing is passed in by environment variables: they would stay in the
// image.
Json PreparationSpec(const Preparation& preparation) {
  Json mounts = Json::array({ReadOnlyMount(
      preparation.environment_file, std::string(environment::kLentFolder) + "/environment")});
  for (const ScratchFolder& folder : preparation.folders) mounts.push_back(WritableMount(folder));
  for (const environment::LentFile& file : preparation.pip.files) {
    mounts.push_back(ReadOnlyMount(file.here, file.inside));
  }
  Json host = HardenedHostConfig();
  host["Memory"] = preparation.memory.count();
  host["MemorySwap"] = preparation.memory.count();
  // Never the host's network: there package code would reach this server over loopback, and be
  // taken for a user of the machine.
  host["NetworkMode"] = "bridge";
  host["ReadonlyRootfs"] = true;
  host["Tmpfs"] = LentFolder();
  host["Mounts"] = std::move(mounts);

  Json argv = Json::array({"-c", environment::kPreparationScript, "prepare"});
  for (const std::string& package : preparation.packages) argv.push_back(package);
  return {{"Image", preparation.base_image_id},
          {"Entrypoint", Json::array({"/bin/sh"})},
          {"Cmd", std::move(argv)},
          {"User", "0:0"},
          {"WorkingDir", "/"},
          {"Tty", false},
          {"OpenStdin", false},
          {"Healthcheck", {{"Test", Json::array({"NONE"})}}},
          {"Labels", {{kInstanceLabel, preparation.instance_id}}},
          {"HostConfig", std::move(host)}};
}

Json KeepingSpec(const Keeping& keeping) {
  const std::string agent = std::string(environment::kLentFolder) + "/agent";
  const std::string from = std::string(environment::kLentFolder) + "/environment";
  Json host = HardenedHostConfig();
  host["NetworkMode"] = "none";
  host["Tmpfs"] = LentFolder();
  Json mounts = Json::array(
      {ReadOnlyMount(keeping.agent_binary, agent), ReadOnlyMount(keeping.environment, from)});
  for (const std::string& path : keeping.volumes) mounts.push_back(EmptyPlace(path));
  host["Mounts"] = std::move(mounts);
  return {
      {"Image", keeping.base_image_id},
      {"Entrypoint", Json::array({agent})},
      {"Cmd", Json::array({"--copy-tree", from, kEnvironmentFolder,
                           std::to_string(keeping.bytes.count()), std::to_string(keeping.files)})},
      {"User", "0:0"},
      {"WorkingDir", "/"},
      {"Tty", false},
      {"OpenStdin", false},
      {"Healthcheck", {{"Test", Json::array({"NONE"})}}},
      {"Labels", {{kInstanceLabel, keeping.instance_id}}},
      {"HostConfig", std::move(host)}};
}

// Images are shared by installations: the label by which a container is cleaned up must not pass to
// containers that others run from this image.
Json EnvironmentImageConfig(const std::string& hash, const std::string& python, Bytes size) {
  return {{"Labels",
           {{environment::kEnvironmentLabel, hash},
            {environment::kPythonLabel, python},
            {environment::kSizeLabel, std::to_string(size.count())},
            {kInstanceLabel, ""},
            {kProfileLabel, ""}}}};
}

}  // namespace mlprof::server::docker
