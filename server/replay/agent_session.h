// One container's conversation, from Start to the end: readiness, replays, samples, deaths. Listens
// to the link for its whole life; the phases of a profile wait on it from their own thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "common/domain/row_source.h"
#include "common/time/deadline.h"
#include "common/time/monotonic_clock.h"
#include "server/analysis/diagnosis.h"
#include "server/replay/kill_watch.h"
#include "server/replay/replay_loop.h"
#include "server/replay/row_feed.h"
#include "server/runtime/agent_link.h"

namespace mlprof::server {

/// What a running replay looks like from outside, for the live line.
struct LiveReplay {
  std::size_t responses = 0;
  std::int64_t failures = 0;
  double recent_p95_ms = 0;
};

class AgentSession : private AgentListener {
 public:
  AgentSession(AgentLink& link, const MonotonicClock& clock);
  ~AgentSession() override;

  void Start(const agent_protocol::Start& start);
  /// The model's readiness; an error when it died, could not start, was not ready in time, or what
  /// it forks kept being killed for memory.
  Result<agent_protocol::Ready> AwaitReady(std::stop_token stop, Deadline deadline);

  /// Called on the waiting thread about four times a second; false ends the replay as its deadline
  /// does.
  using OnTick = std::function<bool(const LiveReplay&)>;
  /// Blocks until the plan is done, the target is lost, a row has ended a process where the plan
  /// ends with that, a row cannot be read, `stop` is asked, the deadline passes or `on_tick` ends
  /// it.
  ReplayResult Replay(const RowSource& rows, const ReplayPlan& plan, std::stop_token stop,
                      Deadline deadline, const OnTick& on_tick = nullptr);

  /// The model's processes now; nothing where the agent does not answer in time.
  std::optional<agent_protocol::Processes> TakeCensus(std::stop_token stop, Deadline deadline);

  /// All samples so far, oldest first.
  std::vector<Sample> Samples() const;
  std::optional<Sample> LastSample() const;
  /// Deaths so far. `lost()` is whether the model can no longer be used.
  DeathEvidence Death() const;
  bool lost() const;
  /// Workers that died although the model goes on: killed by a signal, or gone while a row's
  /// connection broke.
  int children_lost() const;
  /// Workers that their parent reaped while no row's connection broke: as a server does that
  /// replaces them after so many requests (gunicorn's max_requests), or when its files change. How
  /// they ended only their parent knows: none where the kernel killed for memory.
  int children_replaced() const;

 private:
  struct ActiveReplay {
    RowFeed& feed;
    std::unique_ptr<ReplayLoop> loop;
    bool attribute;
    bool is_open_loop;
    bool ends_at_kill;
    std::uint64_t first_id;  // ids go on over replays, so that a late response is never mistaken
    std::chrono::nanoseconds starved{0};  // while a row could have left and none was read yet
    std::optional<ReplayLoop::Time> starves_since = {};
  };

  // However Replay() is left, by an exception too: nothing may use the feed after it is gone.
  struct ReplayEnd {
    AgentSession& session;
    ~ReplayEnd() {
      const std::lock_guard lock(session.mutex_);
      session.replay_.reset();
    }
  };

  void OnResponse(const agent_protocol::Response& response) override;
  void OnSample(const Sample& sample) override;
  void OnReady(const agent_protocol::Ready& ready) override;
  void OnProcessEvent(const agent_protocol::ProcessEvent& event) override;
  void OnProcesses(const agent_protocol::Processes& processes) override;
  /// Keeps who ended behind the kernel's kill for memory.
  void NameVictim(const agent_protocol::ProcessEvent& event);
  void OnClosed(const Error& why) override;
  /// Waits on where the kernel has killed for memory, but not for long.
  void OutwaitOomKill(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                      Deadline deadline);
  /// Rows are there that were waited for, or will not come.
  void OnRowsRead();
  void FillLoop(ActiveReplay& replay);
  /// Counts the time for which rows that could leave are not read yet.
  static void CountStarving(ActiveReplay& replay, ReplayLoop::Time now);
  /// Why the replay says nothing of the model although no row failed to be read.
  static std::optional<Error> WhyStarved(const ActiveReplay& replay, const ReplayResult& result);
  bool FinishedLocked() const;
  /// When a row may leave or a kill is judged; nothing where a response comes first.
  std::optional<ReplayLoop::Time> NextAt(ReplayLoop::Time now) const;
  /// Until there is something to do, `wake` at the latest; sends what is due by then.
  void Wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
            Deadline::Clock::time_point wake);
  /// Lets time pass until `when`, `wake` at the latest.
  void SleepUnlocked(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds when,
                     Deadline::Clock::time_point wake);
  LiveReplay Live() const;
  bool LostLocked() const;

  AgentLink& link_;
  const MonotonicClock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Sample> samples_;
  std::optional<agent_protocol::Ready> ready_;
  DeathEvidence death_;
  std::optional<std::chrono::nanoseconds> killed_at_;  // by the kernel, and nobody knows whom yet
  bool ended_ = false;                                 // the command itself is gone
  bool closed_ = false;                                // the link is
  bool given_up_ = false;    // killed for memory before it was ready, although the command lives
  int children_killed_ = 0;  // by a signal
  int children_gone_ = 0;    // reaped by their parent
  int rows_broken_ = 0;      // rows whose connection ended before their response
  std::uint32_t censuses_ = 0;
  std::optional<agent_protocol::Processes> census_;
  std::uint64_t next_id_ = 0;
  bool unanswered_ = false;                  // rows of a replay that was given up
  agent_protocol::Connections connections_;  // as last said
  std::optional<ActiveReplay> replay_;
  KillWatch kills_;
  std::chrono::nanoseconds longest_lag_{0};  // of an open loop, since the last sample
};

}  // namespace mlprof::server
