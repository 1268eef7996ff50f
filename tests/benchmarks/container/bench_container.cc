#include "tests/benchmarks/container/bench_container.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "server/runtime/docker/docker_options.h"
#include "server/runtime/model_start.h"

namespace mlprof::server::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kSocket = "/var/run/docker.sock";

}  // namespace

void Must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message());
}

fs::path Programs() { return fs::canonical("/proc/self/exe").parent_path(); }

BenchContainer::BenchContainer(const BenchContainerPlan& plan)
    : image_(plan.name + ":1"), engine_(kSocket, {}) {
  std::string folder = (fs::temp_directory_path() / (plan.name + ".XXXXXX")).string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no scratch folder");
  folder_ = folder;
  MakeImage(plan);
  Launch(plan);
}

BenchContainer::~BenchContainer() {
  session_.reset();
  if (target_) {
    if (const auto removed = target_->Remove(Deadline::After(30s)); !removed) {
      std::fprintf(stderr, "%s: %s\n", image_.c_str(), removed.error().message().c_str());
    }
  }
  target_.reset();
  runtime_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  const std::string remove = "docker rmi " + image_ + " > /dev/null 2>&1";
  [[maybe_unused]] const int status = std::system(remove.c_str());
}

void BenchContainer::MakeImage(const BenchContainerPlan& plan) {
  const fs::path root = folder_ / "root";
  const fs::path tar = folder_ / "image.tar";
  fs::create_directories(root / "tmp");
  fs::permissions(root, fs::perms(0755));
  if (!plan.program.empty()) {
    fs::copy_file(plan.program, root / "server");
    fs::permissions(root / "server", fs::perms(0755));
  }
  const std::string command = "tar -C " + root.string() + " -cf " + tar.string() + " .";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("tar failed");
  Must(engine_.ImportImage(tar, plan.name, "1", Deadline::After(60s)));
}

void BenchContainer::Launch(const BenchContainerPlan& plan) {
  DockerOptions options;
  options.agent_binary = Programs() / "mlprof-agent";
  options.data_dir = folder_ / "data";
  options.instance_id = plan.name + std::to_string(::getpid());
  runtime_ = Must(MakeDockerRuntime(options));
  ImageConfig service;
  service.image = image_;
  service.command = plan.command;
  service.port = plan.port;
  LaunchRequest request;
  request.profile_id = "bench";
  request.container_name = options.instance_id;
  request.config.service = service;
  request.limits = plan.limits;
  request.cpuset = plan.cpuset;
  request.image = Must(runtime_->Prepare(
      {request.config, {}}, [](std::string_view) {}, {}, Deadline::After(60s)));
  target_ = Must(runtime_->Launch(request, {}, Deadline::After(60s)));
  pid_ = Must(engine_.InspectContainer(target_->container_id(), Deadline::After(30s))).pid;
  session_ = std::make_unique<AgentSession>(target_->agent(), MonotonicClock::System());
  session_->Start(StartFor(request.image, request.config));
  Must(session_->AwaitReady({}, Deadline::After(30s)));
}

}  // namespace mlprof::server::bench
