#include "tests/benchmarks/replay/stage.h"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "server/runtime/docker/docker_options.h"
#include "server/runtime/model_start.h"

namespace mlprof::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kSocket = "/var/run/docker.sock";
constexpr const char* kRepository = "mlprof-bench-replay";

template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

void Must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message());
}

fs::path Programs() { return fs::canonical("/proc/self/exe").parent_path(); }

}  // namespace

Stage::Stage(bool sleeper, int core) : engine_(kSocket, {}) {
  char folder[] = "/tmp/bench-replay.XXXXXX";
  folder_ = ::mkdtemp(folder);
  MakeImage(Programs() / (sleeper ? "target-sleep-server" : "target-static-server"));
  Launch(sleeper, core);
}

Stage::~Stage() {
  session_.reset();
  if (target_) {
    if (const auto removed = target_->Remove(Deadline::After(30s)); !removed) {
      std::fprintf(stderr, "replay: %s\n", removed.error().message().c_str());
    }
  }
  target_.reset();
  runtime_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Stage::MakeImage(const fs::path& program) {
  const fs::path root = folder_ / "root";
  const fs::path tar = folder_ / "image.tar";
  fs::create_directories(root);
  fs::copy_file(program, root / "server");
  fs::permissions(root, fs::perms(0755));
  fs::permissions(root / "server", fs::perms(0755));
  const std::string command = "tar -C " + root.string() + " -cf " + tar.string() + " .";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("tar failed");
  Must(engine_.ImportImage(tar, kRepository, "1", Deadline::After(60s)));
}

void Stage::Launch(bool sleeper, int core) {
  DockerOptions options;
  options.agent_binary = Programs() / "mlprof-agent";
  options.data_dir = folder_ / "data";
  options.instance_id = "bench-replay" + std::to_string(::getpid());
  runtime_ = Must(MakeDockerRuntime(options));
  ImageConfig service;
  service.image = std::string(kRepository) + ":1";
  service.command = std::vector<std::string>{"/server", std::to_string(kTargetPort)};
  if (sleeper) service.command->push_back("5");
  LaunchRequest request;
  request.profile_id = "bench";
  request.container_name = options.instance_id;
  request.config.service = service;
  request.limits = {Cores(static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN))), MiB(256)};
  request.cpuset = std::to_string(core);
  request.image = Must(runtime_->Prepare(
      {request.config, {}}, [](std::string_view) {}, {}, Deadline::After(60s)));
  target_ = Must(runtime_->Launch(request, {}, Deadline::After(60s)));
  pid_ = Must(engine_.InspectContainer(target_->container_id(), Deadline::After(30s))).pid;
  session_ = std::make_unique<AgentSession>(target_->agent(), MonotonicClock::System());
  session_->Start(StartFor(request.image, request.config));
  Must(session_->AwaitReady({}, Deadline::After(30s)));
}

}  // namespace mlprof::bench
