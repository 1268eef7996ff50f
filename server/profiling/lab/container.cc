#include "server/profiling/lab/container.h"

#include <algorithm>

#include "common/log/log.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/thrashing.h"
#include "server/profiling/lab/lab.h"
#include "server/runtime/model_start.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::seconds kSetLimitDeadline{5};
// What an engine that is well answers in milliseconds. Together, and one of them begun just before
// the run is stopped, they must leave an orderly stop its ten seconds.
constexpr std::chrono::seconds kAskDeadline{5};
constexpr std::chrono::seconds kRemoveDeadline{6};
constexpr std::chrono::seconds kStoppedAskDeadline{1};
constexpr std::chrono::seconds kStoppedRemoveDeadline{2};
// An allocator's summary of a full device is tens of KiB, and its head says most.
constexpr Bytes kLogTail = KiB(256);
constexpr Bytes kJournalLog = KiB(64);
constexpr Bytes kWholeLog = MiB(4);  // more than the engine keeps of one
constexpr std::chrono::seconds kLatestLog{1};
constexpr std::chrono::milliseconds kLogPause{100};
// The agent tells when start_timeout has passed; the grace is for its word to arrive.
constexpr std::chrono::seconds kWordOfTheAgent{5};

// The engine did not answer, rather than refuse.
bool IsEnginesSilence(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kDeadlineExceeded;
}

// Rows that cannot be read, or not by a thread of their own.
StopReason ReasonOf(const Error& unread) {
  return unread.code() == ErrorCode::kResourceExhausted ? StopReason::kRoom : StopReason::kStorage;
}

RequestStretch StretchOf(const ReplayResult& replay) {
  RequestStretch stretch{replay.began, replay.ended, std::ssize(replay.requests)};
  for (const RequestRecord& request : replay.requests) {
    stretch.answered.push_back(request.due + std::chrono::microseconds(request.latency_us));
  }
  std::sort(stretch.answered.begin(), stretch.answered.end());
  // A model that died served no longer than until its last response: that it is dead is known
  // later.
  if (replay.target_lost && stretch.answered.back() > replay.began) {
    stretch.ended = std::min(stretch.answered.back(), replay.ended);
  }
  return stretch;
}

std::string ToldToEnd(int signal) {
  return "its container was sent signal " + std::to_string(signal) +
         " from outside, by an engine that stops or restarts, or by hand";
}

std::string EndOf(const std::string& log) {
  const auto most = static_cast<std::size_t>(kJournalLog.count());
  return log.size() <= most ? log : log.substr(log.size() - most);
}

}  // namespace

Container::Container(Lab& lab, const ContainerPlan& plan, int number,
                     std::unique_ptr<Target> target)
    : lab_(lab),
      limits_(plan.limits),
      environment_(plan.setup.environment),
      seed_(plan.seed),
      page_cache_(plan.page_cache),
      number_(number),
      target_(std::move(target)),
      host_(target_->Host(AskDeadline()).value_or(lab.subject().host)),
      session_(std::make_unique<AgentSession>(target_->agent(), lab.clock())) {
  facts_.use = plan.use;
  if (plan.use == Use::kBeyond) facts_.beyond_from = std::chrono::nanoseconds(0);
  observation_.emplace(
      lab.parts_.instruments,
      ObservedContainer{
          target_->container_id(), *session_, lab.clock(),
          lab.subject().tpus.empty() ? lab.subject().devices : std::vector<std::string>(),
          lab.subject().tpus.empty() ? std::vector<std::string>() : lab.subject().devices,
          [this](const std::string& why) { EndRun(StopReason::kDevice, why); },
          [this](const std::string& why) { EndRun(StopReason::kDeviceMetrics, why); },
          [this](int port, Deadline within) { return target_->Connect(port, within); }},
      AskDeadline());
}

Container::~Container() {
  try {
    observation_.reset();
    session_.reset();
    Remove();
  } catch (const std::exception& error) {
    LogError("a container was left behind", {{"why", error.what()}});
  }
}

ContainerFacts Container::Close() {
  if (closed_) return facts_;
  closed_ = true;
  try {
    WriteDown();
  } catch (const std::exception& error) {
    LogError("a container was written down in part", {{"why", error.what()}});
  }
  Remove();
  if (facts_.use != Use::kRecorded) lab_.closed_.push_back(facts_);
  return facts_;
}

void Container::WriteDown() {
  std::vector<Series> read = observation_->End(facts_, AskDeadline());
  for (Series& series : read) {
    for (SeriesPoint& point : series.points) point.at -= lab_.parts_.began;
  }
  const std::string log = target_->Logs(kWholeLog, AskDeadline()).value_or("");
  session_.reset();
  lab_.parts_.journal.Add(read);
  lab_.logs_.Add(number_, log);
  if (!log.empty()) {
    const std::string text = "--- container " + std::to_string(number_) + "\n" + EndOf(log);
    lab_.parts_.journal.Log(text);
    lab_.parts_.announcer.Logged(text);
  }
}

void Container::Remove() {
  const auto within = lab_.stopped() ? kStoppedRemoveDeadline : kRemoveDeadline;
  if (auto status = target_->Remove(Deadline::After(within)); !status) {
    LogError("container was not removed",
             {{"container", target_->container_id()}, {"why", status.error().message()}});
  }
}

tl::expected<agent_protocol::Ready, DeathEvidence> Container::Start(
    std::optional<std::chrono::milliseconds> at_most) {
  const Subject& subject = lab_.subject();
  agent_protocol::Start start =
      StartFor(subject.image, subject.config, {{"AZUREML_MODEL_DIR", subject.model_directory}});
  // As the engine's own hook tells those that run in a container without an agent.
  for (const auto& [name, value] : subject.tpus.environment) start.environment[name] = value;
  if (subject.tpus.empty() && !subject.devices.empty()) {
    start.environment[kVisibleDevices] = VisibleDevices(subject.devices);
  }
  // What the profile tries out goes over the config's own.
  for (const auto& [name, value] : environment_) start.environment[name] = value;
  if (page_cache_ == PageCache::kCold) {
    // The weights first: the time for it is bounded.
    for (const ContentInput& input : subject.inputs) start.drop_cache.push_back(input.inside);
    start.drop_cache.emplace_back("/");
  }
  if (at_most) start.start_timeout = std::min(start.start_timeout, *at_most);
  start.watch_writes = facts_.use == Use::kWatchWrites;
  facts_.served_model = true;
  Budget& budget = lab_.budget();
  const auto began = lab_.clock().Now();
  auto ready = Await(start, budget.EndOfStart(start.start_timeout + kWordOfTheAgent));
  budget.Started(lab_.clock().Now() - began);
  return ready;
}

tl::expected<agent_protocol::Ready, DeathEvidence> Container::StartWhole(
    std::optional<std::chrono::milliseconds> at_most) {
  auto ready = Start(at_most);
  if (!ready || session_->Death().oom_kills == 0) return ready;
  return tl::unexpected<DeathEvidence>(Death());
}

tl::expected<agent_protocol::Ready, DeathEvidence> Container::StartNullTarget() {
  agent_protocol::Start start = StartFor(lab_.subject().image, lab_.subject().config);
  start.command = {kAgentProgram, "--null-server", std::to_string(start.port)};
  start.readiness_path.clear();
  return Await(start, lab_.budget().AtMost(start.start_timeout + kWordOfTheAgent));
}

tl::expected<agent_protocol::Ready, DeathEvidence> Container::Await(
    const agent_protocol::Start& start, Deadline deadline) {
  session_->Start(start);
  const auto ready = session_->AwaitReady(lab_.parts_.run_stop.token(), deadline);
  if (!ready) return tl::unexpected<DeathEvidence>(Death());
  return *ready;
}

ReplayResult Container::Replay(const ReplayPlan& plan, Deadline deadline,
                               std::optional<std::chrono::nanoseconds> longest_row) {
  const auto began = lab_.clock().Now();
  bool futile = false;
  ReplayResult result = session_->Replay(
      lab_.rows(), plan, lab_.parts_.run_stop.token(), deadline, [&](const LiveReplay& live) {
        lab_.parts_.announcer.Replaying(live, session_->LastSample());
        const bool waits =
            longest_row && live.responses == 0 && lab_.clock().Now() - began > *longest_row;
        futile = waits && GetsNowhereSince(began);
        return !futile;
      });
  result.futile = futile && result.cut_off;
  result.stopped = EndRunIfTold(session_->Death()) || result.stopped;
  if (result.unread) {
    lab_.parts_.run_stop.Ask(ReasonOf(*result.unread), result.unread->message());
    result.stopped = true;
  }
  cut_off_ = cut_off_ || result.cut_off;
  if (facts_.beyond_from && !plan.open_loop) {
    if (!facts_.overload) facts_.overload.emplace();
    facts_.overload->concurrency = std::max(facts_.overload->concurrency, plan.concurrency);
  }
  if (!result.requests.empty()) {
    served_.push_back(StretchOf(result));
  }
  return result;
}

bool Container::GetsNowhereSince(std::chrono::nanoseconds began) const {
  const std::vector<Sample> all = session_->Samples();
  return GetsNowhere(Between(all, began, lab_.clock().Now()), limits_.memory());
}

void Container::GoBeyond() {
  if (!facts_.beyond_from) facts_.beyond_from = lab_.clock().Now();
}

Result<std::unique_ptr<ForwardedPort>> Container::Forward(int port,
                                                          const std::filesystem::path& parent,
                                                          std::chrono::milliseconds idle) {
  return ForwardedPort::Start(
      parent, [this, port](Deadline deadline) { return target_->Connect(port, deadline); }, idle);
}

Status Container::SetCpu(Cores cpu) {
  MLPROF_TRY(Changed(target_->SetCpu(cpu, Deadline::After(kSetLimitDeadline)), "CPU"));
  limits_.Set(cpu);
  return {};
}

Status Container::LiftLimits() {
  const Limits& ceiling = lab_.ceiling();
  MLPROF_TRY(Changed(target_->RaiseMemory(ceiling.memory(), Deadline::After(kSetLimitDeadline)),
                     "memory"));
  MLPROF_TRY(SetCpu(ceiling.cpu()));
  limits_ = ceiling;
  return {};
}

// An engine that does not answer ends the run.
Status Container::Changed(Status set, const std::string& limit) {
  if (!set && IsEnginesSilence(set.error())) {
    lab_.parts_.run_stop.Ask(StopReason::kEngine, "the " + limit + " limit could not be changed: " +
                                                      set.error().message());
  }
  return set;
}

HostWatch::Stretch Container::WatchHost() { return WatchHost(lab_.host()); }

HostWatch::Stretch Container::WatchHost(HostWatch& by) const {
  return by.Begin(host_.cores, [this] { return target_->ReadHostLoad(); });
}

bool Container::RanOutOfBudget() const { return lab_.budget().Passed() && !session_->lost(); }

std::optional<agent_protocol::Processes> Container::TakeCensus(Deadline deadline) {
  return session_->TakeCensus(lab_.parts_.run_stop.token(), deadline);
}

std::int64_t Container::Losses() const {
  return session_->children_lost() + session_->Death().oom_kills;
}

bool Container::IsSound() const { return !session_->lost() && Losses() == 0 && !cut_off_; }

DeathEvidence Container::Death() {
  DeathEvidence death = session_->Death();
  // Before the engine is asked anything: it may be on its way down, or up, and not answer.
  EndRunIfTold(death);
  death.limits = limits_;
  death.log_tail = death.exit_code || death.signal ? LastLog() : LogTail();
  death.disk_full = target_->MetDiskBound(death.log_tail);
  if (session_->lost() && !lab_.stopped()) AskEngine(death);
  if (death.oom_kills > 0) death.memory = BeforeDeath(Samples());
  if (death.not_ready) death.thrashing = FindThrashing(Samples(), limits_.memory());
  facts_.filled_ceiling =
      (death.oom_kills > 0 || death.thrashing) && limits_.memory() == lab_.ceiling().memory();
  return death;
}

// A model that ends in order may still answer, or refuse, rows for a while.
bool Container::EndRunIfTold(const DeathEvidence& death) {
  if (!death.told_to_end || facts_.use == Use::kRecorded) return false;
  if (!lab_.stopped()) EndRun(StopReason::kEngine, ToldToEnd(*death.told_to_end));
  return true;
}

// By then the answer is proven: what a recording meets is told beside it.
void Container::EndRun(StopReason reason, const std::string& why) {
  if (facts_.use != Use::kRecorded) lab_.parts_.run_stop.Ask(reason, why);
}

// What became of the container. One that the engine lost, or ended as it restarted, says nothing of
// the model; nor does an agent that was lost and nobody knows why.
void Container::AskEngine(DeathEvidence& death) {
  const auto exit = target_->Inspect(AskDeadline());
  if (!exit) {
    if (IsEnginesSilence(exit.error())) EndRun(StopReason::kEngine, exit.error().message());
    return;
  }
  if (exit->by_engine) {
    EndRun(StopReason::kEngine, exit->error);
  } else if (death.agent_lost && exit->oom_killed) {
    // The kernel killed the agent itself for memory: then only the engine can tell.
    death.oom_kills = std::max<std::int64_t>(1, death.oom_kills);
  } else if (death.agent_lost && exit->error.empty() && death.oom_kills == 0) {
    EndRun(StopReason::kAgent, "");
  }
}

Deadline Container::AskDeadline() const {
  return Deadline::After(lab_.stopped() ? kStoppedAskDeadline : kAskDeadline);
}

std::string Container::LogTail() const {
  return target_->Logs(kLogTail, AskDeadline()).value_or("");
}

// The agent tells of the model's end before the engine has copied what the model wrote last. So the
// log is read again until two readings agree.
std::string Container::LastLog() {
  const MonotonicClock& clock = lab_.clock();
  const auto latest = clock.Now() + kLatestLog;
  std::string log = LogTail();
  while (clock.Now() < latest) {
    clock.SleepUntil(clock.Now() + kLogPause);
    std::string again = LogTail();
    if (!again.empty() && again == log) break;
    log = std::move(again);
  }
  return log;
}

std::vector<Sample> Container::SamplesSinceServing() const {
  if (served_.empty()) return {};
  const std::vector<Sample> all = Samples();
  const auto part = Between(all, served_.front().began, std::chrono::nanoseconds::max());
  return {part.begin(), part.end()};
}

std::vector<Sample> Container::SamplesOf(const ReplayResult& replay) const {
  const std::vector<Sample> all = session_->Samples();
  const auto part = Between(all, replay.began, replay.ended);
  return {part.begin(), part.end()};
}

}  // namespace mlprof::server
