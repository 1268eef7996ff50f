#include "tests/benchmarks/sampling/container_agent.h"

#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "server/runtime/docker/docker_options.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/model_start.h"

namespace mlprof::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kSocket = "/var/run/docker.sock";
constexpr const char* kRepository = "mlprof-bench-sampling";
constexpr const char* kPort = "5001";

template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}
void Must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message());
}

class Heard final : public AgentListener {
 public:
  void OnAnswer(const agent_protocol::Answer&) override {}
  void OnSample(const Sample& sample) override {
    Note([&] { samples_.push_back(sample); });
  }
  void OnReady(const agent_protocol::Ready&) override {
    Note([&] { ready_ = true; });
  }
  void OnProcessEvent(const agent_protocol::ProcessEvent& event) override {
    Note([&] { last_event_ = std::string(Name(event.kind)) + " " + event.detail; });
  }
  void OnClosed(const Error& why) override {
    Note([&] { last_event_ = why.message(); });
  }

  void AwaitReady() {
    std::unique_lock lock(mutex_);
    if (!heard_.wait_for(lock, 30s, [&] { return ready_; })) {
      throw std::runtime_error("the model never became ready: " + last_event_);
    }
  }
  /// The samples of the next `time`.
  std::vector<Sample> Collect(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    samples_.clear();
    const bool came = heard_.wait_for(lock, time + 10s, [&] {
      return samples_.size() > 1 && samples_.back().at - samples_.front().at >= time;
    });
    if (!came) throw std::runtime_error("samples stopped: " + last_event_);
    return samples_;
  }

 private:
  template <class Change>
  void Note(const Change& change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    heard_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable heard_;
  std::vector<Sample> samples_;
  std::string last_event_;
  bool ready_ = false;
};

}  // namespace

struct ContainerAgent::Parts {
  fs::path folder;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Target> target;
  Heard heard;
  double samples_per_second = 0;

  ~Parts() {
    if (target) {
      target->agent().Listen(nullptr);
      [[maybe_unused]] const Status removed = target->Remove(Deadline::After(30s));
    }
    target.reset();
    runtime.reset();
    std::error_code ignored;
    if (!folder.empty()) fs::remove_all(folder, ignored);
    const std::string remove = std::string("docker rmi ") + kRepository + ":1 > /dev/null 2>&1";
    [[maybe_unused]] const int status = std::system(remove.c_str());
  }
};

ContainerAgent::ContainerAgent(const fs::path& programs) : parts_(std::make_unique<Parts>()) {
  std::string folder = (fs::temp_directory_path() / "bench-sampling.XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no scratch folder");
  parts_->folder = folder;
  fs::create_directories(parts_->folder / "root" / "tmp");
  const fs::path tar = parts_->folder / "image.tar";
  const std::string command =
      "tar -C " + (parts_->folder / "root").string() + " -cf " + tar.string() + " .";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("tar failed");
  docker::DockerEngine engine{kSocket, {}};
  Must(engine.ImportImage(tar, kRepository, "1", Deadline::After(60s)));

  DockerOptions options;
  options.agent_binary = programs / "mlprof-agent";
  options.data_dir = parts_->folder / "data";
  options.instance_id = "bench" + std::to_string(::getpid());
  parts_->runtime = Must(MakeDockerRuntime(options));
  ImageConfig service;
  service.image = std::string(kRepository) + ":1";
  service.command = std::vector<std::string>{kAgentProgram, "--null-server", kPort};
  service.port = std::atoi(kPort);
  LaunchRequest request;
  request.profile_id = "bench";
  request.container_name = options.instance_id;
  request.config.service = service;
  request.limits = {Cores(1), MiB(64)};
  request.image = Must(parts_->runtime->Prepare(
      {request.config, {}}, [](std::string_view) {}, {}, Deadline::After(60s)));
  parts_->target = Must(parts_->runtime->Launch(request, {}, Deadline::After(60s)));
  parts_->target->agent().Listen(&parts_->heard);
  auto start = StartFor(request.image, request.config);
  start.sample_interval = 10ms;
  parts_->target->agent().Start(start);
  parts_->heard.AwaitReady();
}

ContainerAgent::~ContainerAgent() = default;

double ContainerAgent::CpuPercent(std::chrono::milliseconds time) {
  const auto samples = parts_->heard.Collect(time);
  const std::chrono::duration<double> took = samples.back().at - samples.front().at;
  const std::chrono::duration<double> used =
      samples.back().agent_cpu_time - samples.front().agent_cpu_time;
  parts_->samples_per_second = static_cast<double>(samples.size() - 1) / took.count();
  return used.count() / took.count() * 100;
}

double ContainerAgent::samples_per_second() const { return parts_->samples_per_second; }

}  // namespace mlprof::bench
