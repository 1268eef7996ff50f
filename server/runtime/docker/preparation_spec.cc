#include "server/runtime/docker/preparation_spec.h"

#include "server/runtime/docker/container_spec.h"
#include "server/runtime/docker/environment_recipe.h"

namespace mlprof::docker {

// Installing packages is running their code: root inside, since it writes to the image, but without
// any capability. Nothing is passed in by environment variables: they would stay in the image.
Json PreparationSpec(const Preparation& preparation) {
  Json mounts = Json::array(
      {ReadOnlyMount(preparation.environment_file, std::string(kLentFolder) + "/environment"),
       {{"Type", "bind"}, {"Source", preparation.temporary_folder.string()}, {"Target", "/tmp"}}});
  for (const Mount& mount : preparation.pip.mounts) {
    mounts.push_back(ReadOnlyMount(mount.host, mount.container));
  }
  Json host = HardenedHostConfig();
  host["Memory"] = preparation.memory.count();
  host["MemorySwap"] = preparation.memory.count();
  // Never the host's: on its loopback this server takes every caller for a user of the machine.
  host["NetworkMode"] = "bridge";
  // Mount points made here vanish with it instead of staying in the image.
  host["Tmpfs"] = {{kLentFolder, "size=1m,mode=755"}};
  host["Mounts"] = std::move(mounts);

  Json argv = Json::array({"-c", kPreparationScript, "prepare"});
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

// Images are shared by installations: the label by which a container is cleaned up must not pass to
// containers that others run from this image.
Json EnvironmentImageConfig(const std::string& hash, const std::string& python) {
  return {{"Labels",
           {{kEnvironmentLabel, hash},
            {kPythonLabel, python},
            {kInstanceLabel, ""},
            {kProfileLabel, ""}}}};
}

}  // namespace mlprof::docker
