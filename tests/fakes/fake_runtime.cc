#include "tests/fakes/fake_runtime.h"

#include <utility>

#include "tests/fakes/fake_agent_link.h"

namespace mlprof {
namespace {

class FakeTarget final : public Target {
 public:
  FakeTarget(const LaunchRequest& request, const FakeModel& model, FakeClock& clock,
             std::shared_ptr<std::atomic<int>> running)
      : id_(request.container_name),
        log_(Log(request, model)),
        log_late_(model.log_comes_late),
        link_(model, request.limits, request.writable_root, clock),
        running_(std::move(running)) {
    ++*running_;
  }
  ~FakeTarget() override { --*running_; }

  const std::string& container_id() const override { return id_; }
  AgentLink& agent() override { return link_; }
  Status SetCpu(Cores cpu, Deadline) override {
    link_.SetCpu(cpu);
    return {};
  }
  Result<std::string> Logs(Bytes, Deadline) override {
    return std::exchange(log_late_, false) ? "" : log_;
  }
  Result<ContainerExit> Inspect(Deadline) override {
    ContainerExit exit;
    exit.running = !link_.oom_killed();
    exit.oom_killed = link_.oom_killed();
    return exit;
  }
  Status Remove(Deadline) override { return {}; }

 private:
  static std::string Log(const LaunchRequest& request, const FakeModel& model) {
    if (model.needs_writable_root && !request.writable_root) {
      return "open /data/x: Read-only file system\n";
    }
    return model.log;
  }

  std::string id_;
  std::string log_;
  bool log_late_;
  FakeAgentLink link_;
  std::shared_ptr<std::atomic<int>> running_;
};

}  // namespace

void FakeClock::SleepUntil(std::chrono::nanoseconds when) const {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return works_ == 0; });
  now_ = std::max(now_.load(), when.count());
}

void FakeClock::BeginWork() {
  const std::lock_guard lock(mutex_);
  ++works_;
}

void FakeClock::EndWork() {
  const std::lock_guard lock(mutex_);
  if (--works_ == 0) ended_.notify_all();
}

Result<HostFacts> FakeRuntime::Host(Deadline, std::stop_token) {
  if (unavailable_) return Fail(Unavailable("the engine does not answer"));
  HostFacts host;
  host.cpu_model = "imitation";
  host.cores = 2;
  host.memory = GiB(4);
  host.cgroup_version = 2;
  return host;
}

Status FakeRuntime::Check(Deadline, std::stop_token) {
  if (unavailable_) return Fail(Unavailable("the engine does not answer"));
  return {};
}

Result<PreparedImage> FakeRuntime::Prepare(const PrepareRequest&, const PrepareOutput& output,
                                           std::stop_token, Deadline) {
  const std::lock_guard lock(mutex_);
  output("preparing\n");
  if (prepare_failure_) {
    const Error error = *std::exchange(prepare_failure_, std::nullopt);
    return Fail(error);
  }
  PreparedImage image;
  image.image_id = "sha256:imitation";
  image.command = {"/server"};
  return image;
}

Result<std::unique_ptr<Target>> FakeRuntime::Launch(const LaunchRequest& request, std::stop_token,
                                                    Deadline) {
  const std::lock_guard lock(mutex_);
  if (launch_failure_) {
    const Error error = *std::exchange(launch_failure_, std::nullopt);
    return Fail(error);
  }
  launches_.push_back(request);
  return std::make_unique<FakeTarget>(request, model_, clock_, running_);
}

Result<int> FakeRuntime::RemoveOrphans(Deadline, std::stop_token) { return 0; }

void FakeRuntime::FailNextPrepare(Error error) {
  const std::lock_guard lock(mutex_);
  prepare_failure_ = std::move(error);
}

void FakeRuntime::FailNextLaunch(Error error) {
  const std::lock_guard lock(mutex_);
  launch_failure_ = std::move(error);
}

std::vector<LaunchRequest> FakeRuntime::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

}  // namespace mlprof
