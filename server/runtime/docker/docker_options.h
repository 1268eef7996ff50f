// What the Docker runtime must be told, and its factory.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/runtime/runtime.h"

namespace mlprof::server {

/// One finished call to Docker, for /metrics. `call` is a constant such as "create". Called from
/// any thread.
using DockerCallObserver =
    std::function<void(std::string_view call, bool succeeded, double seconds)>;

enum class Isolation { kDefault, kGvisor };

/// How the engine is told to give a container GPUs.
enum class DeviceAccess {
  kRequest,      // as `docker run --gpus` does: needs NVIDIA's container toolkit
  kCdi,          // by the names of the container device interface
  kEnvironment,  // by NVIDIA_VISIBLE_DEVICES, where NVIDIA's is the engine's default runtime
};

struct DockerOptions {
  std::string docker_host = "unix:///var/run/docker.sock";  // or a bare path
  std::filesystem::path agent_binary;   // static mlprof-agent, on a file system Docker sees
  std::filesystem::path data_dir;       // scratch/, run/ and temporary files lie below it
  std::string instance_id;              // labels this installation's containers
  std::string base_image;               // of entry scripts; "": mlprof's own, built when missing
  std::vector<std::string> registries;  // beside the engine's own: HOST or HOST:PORT; "*": all
  Isolation isolation = Isolation::kDefault;
  DeviceAccess device_access = DeviceAccess::kRequest;
  /// All writable folders of one container together. Preparing an environment may take twice that.
  Bytes scratch_limit = GiB(10);
  DockerCallObserver observe_call;
  /// The ports this server listens on now, which no container may reach through a proxy of this
  /// machine. Called from any thread.
  std::function<std::vector<unsigned short>()> own_ports;
};

/// Starts nothing and calls nothing yet. kInvalidArgument where the options cannot work at all (a
/// remote daemon, no instance id, no agent binary).
Result<std::unique_ptr<Runtime>> MakeDockerRuntime(DockerOptions options);

}  // namespace mlprof::server
