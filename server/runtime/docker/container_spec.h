// The request that creates a scoring container: the one place that builds its HostConfig, and so
// the one place to read when asking what a model may do. Pure, but that LocalInputs asks the
// readers of the inputs where these lie; held by golden files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/json.h"
#include "common/result/result.h"
#include "server/runtime/content_input.h"
#include "server/runtime/docker/docker_options.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::docker {

/// A folder of this machine that the container finds at `inside`, read-only.
struct LocalInput {
  std::filesystem::path here;
  std::string inside;
};

/// Where the inputs of a container lie on this machine, whose folders Docker mounts.
/// kInvalidArgument where the files of one lie in no folder of this machine.
Result<std::vector<LocalInput>> LocalInputs(const std::vector<ContentInput>& inputs);

inline constexpr const char* kInstanceLabel = "mlprof.instance";
inline constexpr const char* kProfileLabel = "mlprof.profile";
/// Against fork bombs; far beyond the threads of a server. Chosen, not measured.
inline constexpr int kPidsLimit = 4096;

/// A folder of the host that is writable inside the container.
struct ScratchFolder {
  std::filesystem::path host;
  std::string container;
  bool keeps_image_content = false;  // what the image has there is copied in at create
  bool operator==(const ScratchFolder&) const = default;
};

/// Where the container may write, with folders numbered below `scratch`: /tmp and HOME first, then
/// the image's VOLUMEs and those of the config's writablePaths that lie in none of these.
/// kInvalidArgument for a path that cannot be one.
Result<std::vector<ScratchFolder>> ScratchFolders(const LaunchRequest& request,
                                                  const std::filesystem::path& scratch);

struct ContainerPlaces {
  std::filesystem::path agent_binary;
  std::filesystem::path agent_socket;
  std::vector<LocalInput> inputs;
  std::vector<ScratchFolder> scratch;
};

Json ContainerSpec(const LaunchRequest& request, const ContainerPlaces& places,
                   const std::string& instance_id, Isolation isolation,
                   DeviceAccess access = DeviceAccess::kRequest);

/// What every container of ours shares, those that prepare images too: no way to gain rights, a
/// bound on processes and log, nothing that lives on after it.
Json HardenedHostConfig();

/// Where an image has VOLUMEs: each path once, parents first. Docker gives every one of them that
/// nothing is mounted at exactly an unbounded volume. kInvalidArgument where one cannot be
/// writable.
Result<std::vector<std::string>> VolumePaths(const std::vector<std::string>& volumes);

Json WritableMount(const ScratchFolder& folder);

/// A read-only bind mount. Unlike the older "Binds" it fails where the host has no such path.
Json ReadOnlyMount(const std::filesystem::path& host, const std::string& container);

}  // namespace mlprof::server::docker
