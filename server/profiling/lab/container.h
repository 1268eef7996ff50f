// A model in its container, from launch to removal. Close() gives what was seen of it; destroying
// it only removes the container.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "server/analysis/memory_plateau.h"
#include "server/profiling/budget/run_end.h"
#include "server/profiling/lab/container_facts.h"
#include "server/profiling/lab/host_watch.h"
#include "server/profiling/lab/instrument.h"
#include "server/profiling/lab/setup.h"
#include "server/replay/agent_session.h"
#include "server/runtime/forward/forwarded_port.h"
#include "server/runtime/runtime.h"

namespace mlprof::server {

class Lab;

class Container {
 public:
  /// Made by Lab::Launch().
  Container(Lab& lab, const ContainerPlan& plan, int number, std::unique_ptr<Target> target);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  /// Starts the model's command and waits until it answers, no longer than the config allows, nor
  /// than the budget lasts where no start is added to it any more.
  /// `at_most`: not ready by then counts as not ready in time, whatever the config allows. No start
  /// is one during which the kernel killed for memory: a server that forks is ready with the
  /// workers that are left, and starts the killed one anew for ever.
  tl::expected<agent_protocol::Ready, DeathEvidence> StartWhole(
      std::optional<std::chrono::milliseconds> at_most = std::nullopt);
  /// The same, but what the kernel killed meanwhile does not make it fail.
  tl::expected<agent_protocol::Ready, DeathEvidence> Start(
      std::optional<std::chrono::milliseconds> at_most = std::nullopt);
  /// Starts a server that answers at once and does nothing, in the model's place.
  tl::expected<agent_protocol::Ready, DeathEvidence> StartNullTarget();
  /// Replays in this container with the live line shown. Ends as at the deadline, and is `futile`,
  /// where `longest_row` has passed, no row was answered at all, and the model reads its files back
  /// all the time.
  ReplayResult Replay(const ReplayPlan& plan, Deadline deadline,
                      std::optional<std::chrono::nanoseconds> longest_row = std::nullopt);
  /// From here on it is asked for more than the objective does: what it takes is told apart.
  void GoBeyond();
  /// A port of the model's as a Unix socket below `parent`, as ForwardedPort::Start. To be gone
  /// before the container is.
  Result<std::unique_ptr<ForwardedPort>> Forward(int port, const std::filesystem::path& parent,
                                                 std::chrono::milliseconds idle);
  /// As Target::Root.
  std::filesystem::path Root() const { return target_->Root(); }
  /// Changes the CPU limit in place. An engine that does not answer ends the run.
  Status SetCpu(Cores cpu);
  /// Gives it as much as the ceiling has, in place; an error where its runtime cannot. What the
  /// model sized by its limits as it started stays as it is.
  Status LiftLimits();

  /// The machine it runs on; where that is not told, what was known before there was a container.
  const HostFacts& host() const { return host_; }
  /// Watches how busy that machine is with other things, from now on. This outlives the stretch.
  HostWatch::Stretch WatchHost();
  /// The same, judged by nobody but `by`.
  HostWatch::Stretch WatchHost(HostWatch& by) const;

  /// The budget ended while it was still starting.
  bool RanOutOfBudget() const;
  /// Why it died, with the end of its log; takes a second where its command ended without a word.
  /// Where that says nothing of the model it ends the run.
  DeathEvidence Death();
  /// The bound of what it may write to disk that it has met, if any; see Target.
  std::optional<DiskFull> MetDiskBound(std::string_view said) const {
    return target_->MetDiskBound(said);
  }
  /// It was killed for what it, or others, wrote to disk: that tells nothing of its limits or rows.
  bool WasEndedForDisk() const {
    const auto full = MetDiskBound({});
    return full && full->killed;
  }

  /// What the model wrote last; "" where the engine does not answer in time.
  std::string LogTail() const;

  const Limits& limits() const { return limits_; }
  Seed seed() const { return seed_; }
  /// Set on top of the inference config's.
  const std::map<std::string, std::string>& environment() const { return environment_; }
  /// The model's processes now; nothing where its agent does not answer in time.
  std::optional<agent_protocol::Processes> TakeCensus(Deadline deadline);
  /// That the kernel killed for memory.
  std::int64_t OomKills() const { return session_->Death().oom_kills; }
  /// Processes of the model that died, whether or not it goes on without them; not those that it
  /// replaced itself.
  std::int64_t Losses() const;
  /// Its model runs, lost no process, and no replay of it was cut off.
  bool IsSound() const;
  /// Since its launch.
  std::vector<Sample> Samples() const { return session_->Samples(); }
  /// Since its first row: what its start took is in none of them.
  std::vector<Sample> SamplesSinceServing() const;
  /// Samples taken while `replay` ran.
  std::vector<Sample> SamplesOf(const ReplayResult& replay) const;

  /// When how many rows were answered, since the model last was whole.
  const std::vector<RequestStretch>& served() const { return served_; }
  std::int64_t RequestsServed() const { return RequestsOf(served_); }
  /// Of these, from where on its memory is watched for growth.
  std::span<const RequestStretch> watched() const {
    return std::span(served_).subspan(watched_from_);
  }
  /// What it loaded until now, when a worker met its first row, is no growth.
  void WatchFromHere() { watched_from_ = served_.size(); }
  /// Processes of the model were replaced: what it served before it served with others.
  void ForgetServed() {
    served_.clear();
    watched_from_ = 0;
  }

  /// Ends its instruments, writes their series and its log down and removes it. To be called
  /// whatever became of it; the second call does nothing but give the same.
  ContainerFacts Close();

 private:
  tl::expected<agent_protocol::Ready, DeathEvidence> Await(const agent_protocol::Start& start,
                                                           Deadline deadline);
  /// Since `began`, when rows were sent of which none was answered.
  bool GetsNowhereSince(std::chrono::nanoseconds began) const;
  void AskEngine(DeathEvidence& death);
  Status Changed(Status set, const std::string& limit);
  void EndRun(StopReason reason, const std::string& why);
  /// Whether it was told to end from outside, which says nothing of the model.
  bool EndRunIfTold(const DeathEvidence& death);
  Deadline AskDeadline() const;
  std::string LastLog();
  void WriteDown();
  void Remove();

  Lab& lab_;
  Limits limits_;
  const std::map<std::string, std::string> environment_;
  const Seed seed_;
  const PageCache page_cache_;
  const int number_;
  ContainerFacts facts_;
  bool closed_ = false;
  bool cut_off_ = false;  // a replay, with rows that had no answer yet
  std::vector<RequestStretch> served_;
  std::size_t watched_from_ = 0;
  std::unique_ptr<Target> target_;
  const HostFacts host_;
  std::unique_ptr<AgentSession> session_;
  std::optional<Observation> observation_;  // of the session
};

}  // namespace mlprof::server
