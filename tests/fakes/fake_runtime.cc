#include "tests/fakes/fake_runtime.h"

#include <algorithm>
#include <new>
#include <utility>

#include "tests/fakes/fake_agent_link.h"

namespace mlprof::server {

namespace {

// The write that a container so launched refuses the model.
std::optional<RefusedWrite> RefusedBy(const LaunchRequest& request, const FakeModel& model) {
  const auto& may = request.config.writable_paths;
  for (const RefusedWrite& write : model.writes) {
    if (std::find(may.begin(), may.end(), write.folder) == may.end()) return write;
  }
  return std::nullopt;
}

}  // namespace

class FakeTarget final : public Target {
 public:
  FakeTarget(FakeRuntime& runtime, const LaunchRequest& request, const FakeModel& model,
             FakeClock& clock, std::shared_ptr<std::atomic<int>> running)
      : runtime_(runtime),
        id_(request.container_name),
        log_(Log(request, model)),
        log_late_(model.log_comes_late),
        killed_for_disk_(model.killed_for_disk),
        root_(model.root),
        link_(model, request.limits, RefusedBy(request, model), clock),
        running_(std::move(running)) {
    ++*running_;
  }
  ~FakeTarget() override {
    const std::lock_guard lock(runtime_.mutex_);
    std::erase(runtime_.targets_, this);
    --*running_;
  }

  void LoseAgent(bool by_engine) {
    by_engine_ = by_engine;
    link_.Close();
  }

  void TellToEnd(bool drains) { link_.TellToEnd(drains); }

  const std::string& container_id() const override { return id_; }
  AgentLink& agent() override { return link_; }
  Result<HostFacts> Host(Deadline) override {
    return runtime_.container_host.value_or(runtime_.Facts());
  }
  std::filesystem::path Root() const override { return root_; }
  Result<HostLoad> ReadHostLoad() override {
    return runtime_.host_load ? runtime_.host_load() : runtime_.QuietLoad();
  }
  Status SetCpu(Cores cpu, Deadline deadline) override {
    MLPROF_TRY(runtime_.Respond(deadline));
    if (!runtime_.limits_hold_) return Fail(ErrorCode::kNotAvailable, "nothing can be limited");
    link_.SetCpu(cpu);
    runtime_.cpu_in_force_ = cpu.value();
    return {};
  }
  Status RaiseMemory(Bytes memory, Deadline deadline) override {
    MLPROF_TRY(runtime_.Respond(deadline));
    if (!runtime_.raises_memory) return Target::RaiseMemory(memory, deadline);
    link_.SetMemory(memory);
    const std::lock_guard lock(runtime_.mutex_);
    runtime_.raised_at_ = runtime_.launches_.size();
    return {};
  }
  Result<std::string> Logs(Bytes, Deadline deadline) override {
    MLPROF_TRY(runtime_.Respond(deadline));
    return std::exchange(log_late_, false) ? "" : log_;
  }
  Result<ContainerExit> Inspect(Deadline deadline) override {
    MLPROF_TRY(runtime_.Respond(deadline));
    ContainerExit exit;
    if (by_engine_) {
      exit.by_engine = true;
      exit.oom_killed = true;
      exit.error = "the engine restarted";
      return exit;
    }
    exit.running = !link_.oom_killed();
    exit.oom_killed = link_.oom_killed();
    return exit;
  }
  std::optional<DiskFull> MetDiskBound(std::string_view) override {
    return link_.dead() ? killed_for_disk_ : std::nullopt;
  }
  Status Remove(Deadline deadline) override { return runtime_.Respond(deadline); }

 private:
  static std::string Log(const LaunchRequest& request, const FakeModel& model) {
    if (model.says_read_only || RefusedBy(request, model)) {
      return model.last_words;
    }
    return model.log;
  }

  FakeRuntime& runtime_;
  std::string id_;
  std::string log_;
  bool log_late_;
  std::optional<DiskFull> killed_for_disk_;
  const std::filesystem::path root_;
  FakeAgentLink link_;
  std::shared_ptr<std::atomic<int>> running_;
  std::atomic<bool> by_engine_ = false;
};

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

Status FakeRuntime::Respond(Deadline deadline, const std::stop_token& stop) const {
  if (unavailable_) return Fail(Unavailable("the engine does not answer"));
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (hanging_ && !stop.stop_requested() && !deadline.Passed()) {
    constexpr std::chrono::milliseconds kLook{5};
    never.wait_until(lock, stop, deadline.AtMost(kLook).when(), [] { return false; });
  }
  if (stop.stop_requested()) return Fail(Cancelled("stopped"));
  if (hanging_) return Fail(DeadlineExceeded("the engine did not answer in time"));
  return {};
}

Result<HostFacts> FakeRuntime::Host(Deadline deadline, std::stop_token stop) {
  MLPROF_TRY(Respond(deadline, stop));
  return Facts();
}

HostLoad FakeRuntime::QuietLoad() const {
  HostLoad load;
  load.at = clock_.Now();
  return load;
}

HostFacts FakeRuntime::Facts() const {
  HostFacts host;
  host.cpu_model = "imitation";
  host.cores = cores_;
  host.memory = GiB(4);
  host.cgroup_version = 2;
  host.limits_hold = limits_hold_;
  return host;
}

Status FakeRuntime::Check(Deadline deadline, std::stop_token stop) {
  ++checks_;
  return Respond(deadline, stop);
}

Result<PreparedImage> FakeRuntime::Prepare(const PrepareRequest&, const PrepareOutput& output,
                                           std::stop_token stop, Deadline deadline) {
  MLPROF_TRY(Respond(deadline, stop));
  if (throw_.exchange(false)) throw std::bad_alloc();
  if (on_prepare) on_prepare(stop);
  output("preparing\n");
  const std::lock_guard lock(mutex_);
  if (prepare_failure_) {
    const Error error = *std::exchange(prepare_failure_, std::nullopt);
    return Fail(error);
  }
  PreparedImage image;
  image.image_id = "sha256:imitation";
  image.command = {"/server"};
  return image;
}

Result<std::unique_ptr<Target>> FakeRuntime::Launch(const LaunchRequest& request,
                                                    std::stop_token stop, Deadline deadline) {
  MLPROF_TRY(Respond(deadline, stop));
  const std::lock_guard lock(mutex_);
  if (launch_failure_) {
    const Error error = *std::exchange(launch_failure_, std::nullopt);
    return Fail(error);
  }
  launches_.push_back(request);
  cpu_in_force_ = request.limits.cpu().value();
  launch_limits_.push_back(deadline.Left());
  auto target = std::make_unique<FakeTarget>(*this, request, model_, clock_, running_);
  targets_.push_back(target.get());
  return target;
}

Result<std::vector<KeptImage>> FakeRuntime::KeptImages(const std::vector<PrepareRequest>& waiting,
                                                       Deadline deadline, std::stop_token stop) {
  MLPROF_TRY(Respond(deadline, stop));
  const std::lock_guard lock(mutex_);
  std::vector<KeptImage> images = images_;
  for (KeptImage& image : images) image.needed = !waiting.empty();
  return images;
}

Status FakeRuntime::RemoveImage(const KeptImage& image, Deadline deadline, std::stop_token stop) {
  MLPROF_TRY(Respond(deadline, stop));
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(images_.begin(), images_.end(),
                                  [&](const KeptImage& kept) { return kept.id == image.id; });
  if (found == images_.end()) return {};
  if (found->last_used > image.last_used) return Fail(Conflict("it was used again meanwhile"));
  images_.erase(found);
  return {};
}

void FakeRuntime::Keep(const KeptImage& image) {
  const std::lock_guard lock(mutex_);
  images_.push_back(image);
}

Result<int> FakeRuntime::RemoveOrphans(Deadline deadline, std::stop_token stop) {
  MLPROF_TRY(Respond(deadline, stop));
  return 0;
}

void FakeRuntime::EndContainersByRestart() {
  const std::lock_guard lock(mutex_);
  for (FakeTarget* target : targets_) target->LoseAgent(true);
}

void FakeRuntime::LoseAgents() {
  const std::lock_guard lock(mutex_);
  for (FakeTarget* target : targets_) target->LoseAgent(false);
}

void FakeRuntime::TellContainersToEnd(bool drain) {
  const std::lock_guard lock(mutex_);
  for (FakeTarget* target : targets_) target->TellToEnd(drain);
}

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

std::optional<std::size_t> FakeRuntime::raised_at() const {
  const std::lock_guard lock(mutex_);
  return raised_at_;
}

std::vector<std::chrono::nanoseconds> FakeRuntime::launch_limits() const {
  const std::lock_guard lock(mutex_);
  return launch_limits_;
}

}  // namespace mlprof::server
