#include "server/replay/agent_session.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "common/log/log.h"
#include "server/analysis/latency.h"

namespace mlprof::server {
namespace {

// How often the live line is told anew: as fast as a person reads it.
constexpr std::chrono::milliseconds kTick{250};
// The p95 of the live line is of the last so many requests; no result is made of it.
constexpr std::size_t kRecentRequests = 500;
// As many as the agent keeps (agent/supervise/write_watch.cc).
constexpr std::size_t kMostRefused = 4;
// A server that forks starts a worker that was killed for memory anew, for ever. After one kill the
// model may still become ready, or the death of the whole model is told at once. After a second one
// a third will follow, and the start is given up.
constexpr std::int64_t kFutileKills = 2;
// How long a model may take to become ready after its first kill. Chosen, not measured.
constexpr std::chrono::seconds kReadyAfterOomKill{2};
// A replay that waited for the disk for more than a twentieth of its time had fewer rows in flight
// than it says, and a rate that is the disk's. A twentieth is what the p95 forgives as well.
constexpr int kStarvedPart = 20;
// A thread that gets no core for a moment is no slow disk: several time slices of the scheduler.
constexpr std::chrono::milliseconds kLeastStarving{20};
// Several of the agent's looks for processes that are gone.
constexpr std::chrono::seconds kWordOfVictim{1};
constexpr std::size_t kMostName = 64;  // the kernel's own are 15

}  // namespace

AgentSession::AgentSession(AgentLink& link, const MonotonicClock& clock)
    : link_(link), clock_(clock) {
  link_.Listen(this);
}

AgentSession::~AgentSession() { link_.Listen(nullptr); }

void AgentSession::Start(const agent_protocol::Start& start) { link_.Start(start); }

Result<agent_protocol::Ready> AgentSession::AwaitReady(std::stop_token stop, Deadline deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, stop, deadline.when(),
                      [&] { return ready_ || LostLocked() || death_.oom_kills > 0; });
  if (death_.oom_kills > 0) OutwaitOomKill(lock, stop, deadline);
  if (ready_) return *ready_;
  if (stop.stop_requested()) return Fail(Cancelled("stopped while the model was starting"));
  if (LostLocked()) return Fail(Unavailable("the model did not start"));
  death_.not_ready = "nothing was heard of it before the deadline";
  return Fail(DeadlineExceeded("the model was not ready in time"));
}

void AgentSession::OutwaitOomKill(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                                  Deadline deadline) {
  const auto give_up = clock_.Now() + kReadyAfterOomKill;
  while (!ready_ && !LostLocked() && !stop.stop_requested() && !deadline.Passed()) {
    given_up_ = death_.oom_kills >= kFutileKills || clock_.Now() >= give_up;
    if (given_up_) return;
    SleepUnlocked(lock, give_up, std::min(deadline.when(), Deadline::Clock::now() + kTick));
  }
}

ReplayResult AgentSession::Replay(const RowSource& rows, const ReplayPlan& plan,
                                  std::stop_token stop, Deadline deadline, const OnTick& on_tick) {
  // Made before the lock is taken: the feed's thread takes it too when it calls OnRowsRead().
  RowFeed feed(rows, plan.order, [this] { OnRowsRead(); });
  const ReplayEnd end{*this};  // before the feed goes, however this is left
  std::unique_lock lock(mutex_);
  ReplayPlan own = plan;
  own.others_in_flight = unanswered_;
  replay_.emplace(ActiveReplay{feed, MakeReplayLoop(std::move(own)), plan.attribute,
                               plan.open_loop.has_value(), plan.ends_at_kill, next_id_});
  kills_.Begin();
  if (plan.connections != connections_) {
    connections_ = plan.connections;
    link_.SetConnections(connections_);
  }
  FillLoop(*replay_);
  auto next_tick = Deadline::Clock::now() + kTick;
  bool goes_on = true;
  while (goes_on && !FinishedLocked() && !stop.stop_requested() && !deadline.Passed()) {
    Wait(lock, stop, std::min(deadline.when(), next_tick));
    if (Deadline::Clock::now() < next_tick || FinishedLocked()) continue;
    next_tick = Deadline::Clock::now() + kTick;
    if (!on_tick) continue;
    const LiveReplay live = Live();
    lock.unlock();
    goes_on = on_tick(live);
    lock.lock();
  }
  next_id_ = replay_->first_id + replay_->loop->sent();
  unanswered_ = unanswered_ || !replay_->loop->AllAnswered();
  replay_->loop->End(clock_.Now());
  const bool finished = FinishedLocked();
  CountStarving(*replay_, clock_.Now());
  ReplayResult result = replay_->loop->TakeResult();
  if (!LostLocked()) result.unread = WhyStarved(*replay_, result);
  replay_.reset();
  lock.unlock();
  feed.Stop();
  lock.lock();
  if (const auto error = feed.error()) result.unread = error;
  result.killer = kills_.killer();
  result.target_lost = LostLocked();
  result.stopped = stop.stop_requested();
  result.cut_off = !finished && !result.stopped;
  if (result.ended < result.began) result.ended = result.began;
  return result;
}

bool AgentSession::FinishedLocked() const {
  if (LostLocked() || replay_->feed.error()) return true;
  if (kills_.held_until()) return false;
  return kills_.killer() || replay_->loop->Done(clock_.Now());
}

std::optional<ReplayLoop::Time> AgentSession::NextAt(ReplayLoop::Time now) const {
  if (const auto held = kills_.held_until()) return held;
  if (!replay_->feed.Ready()) return std::nullopt;
  return replay_->loop->NextAt(now);
}

void AgentSession::Wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                        Deadline::Clock::time_point wake) {
  const auto next = NextAt(clock_.Now());
  if (!next) {
    changed_.wait_until(lock, stop, wake,
                        [&] { return FinishedLocked() || NextAt(clock_.Now()).has_value(); });
    return;
  }
  SleepUnlocked(lock, *next, wake);
  FillLoop(*replay_);
}

// Sleeps on the session's clock instead of the condition variable: it wakes up more precisely, and
// a test may move it. Meanwhile nothing else is looked at, which `wake` bounds.
void AgentSession::SleepUnlocked(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds when,
                                 Deadline::Clock::time_point wake) {
  const auto longest = clock_.Now() + (wake - Deadline::Clock::now());
  lock.unlock();
  clock_.SleepUntil(std::min(when, longest));
  lock.lock();
}

std::vector<Sample> AgentSession::Samples() const {
  const std::lock_guard lock(mutex_);
  return samples_;
}

std::optional<Sample> AgentSession::LastSample() const {
  const std::lock_guard lock(mutex_);
  if (samples_.empty()) return std::nullopt;
  return samples_.back();
}

DeathEvidence AgentSession::Death() const {
  const std::lock_guard lock(mutex_);
  return death_;
}

bool AgentSession::lost() const {
  const std::lock_guard lock(mutex_);
  return LostLocked();
}

int AgentSession::children_lost() const {
  const std::lock_guard lock(mutex_);
  return children_killed_ + std::min(children_gone_, rows_broken_);
}

int AgentSession::children_replaced() const {
  const std::lock_guard lock(mutex_);
  if (death_.oom_kills > 0) return 0;
  return children_gone_ - std::min(children_gone_, rows_broken_);
}

std::optional<agent_protocol::Processes> AgentSession::TakeCensus(std::stop_token stop,
                                                                  Deadline deadline) {
  std::unique_lock lock(mutex_);
  const std::uint32_t number = ++censuses_;
  census_.reset();
  link_.TakeCensus({number});
  changed_.wait_until(lock, stop, deadline.when(), [&] { return census_ || LostLocked(); });
  return std::exchange(census_, std::nullopt);
}

void AgentSession::OnProcesses(const agent_protocol::Processes& processes) {
  const std::lock_guard lock(mutex_);
  if (processes.number != censuses_) return;  // of one that was given up
  census_ = processes;
  changed_.notify_all();
}

bool AgentSession::LostLocked() const { return ended_ || closed_ || given_up_; }

void AgentSession::CountStarving(ActiveReplay& replay, ReplayLoop::Time now) {
  // The wait for the very first row does not count: the replay begins when that row leaves.
  if (replay.starves_since && replay.loop->sent() > 0) {
    replay.starved += now - std::max(*replay.starves_since, replay.loop->result().began);
  }
  replay.starves_since.reset();
  if (!replay.feed.Ready() && replay.loop->MaySend(now)) replay.starves_since = now;
}

std::optional<Error> AgentSession::WhyStarved(const ActiveReplay& replay,
                                              const ReplayResult& result) {
  const auto took = result.ended - result.began;
  const bool none_came = replay.starves_since && replay.loop->sent() == 0;
  const bool starved = replay.starved > kLeastStarving && replay.starved * kStarvedPart > took;
  if (!none_came && !starved) return {};
  return Unavailable(
      "the rows of the dataset could not be read from the data directory as fast as they were to "
      "be sent");
}

void AgentSession::FillLoop(ActiveReplay& replay) {
  if (kills_.held_until()) kills_.Pass(clock_.Now());
  if (kills_.held_until() || kills_.killer()) return;
  // The time a row is sent is taken once it has been read: no disk adds to the model's latency.
  while (replay.feed.Ready()) {
    const auto send = replay.loop->Next(clock_.Now());
    if (!send) return;
    longest_lag_ = std::max(longest_lag_, send->lag);
    kills_.RowSent();
    link_.SendRow({replay.first_id + send->id, replay.attribute, replay.feed.Take(), send->at,
                   send->most_in_flight});
  }
  CountStarving(replay, clock_.Now());
}

void AgentSession::OnRowsRead() {
  const std::lock_guard lock(mutex_);
  if (!replay_) return;
  FillLoop(*replay_);
  changed_.notify_all();
}

void AgentSession::OnResponse(const agent_protocol::Response& response) {
  const auto now = clock_.Now();
  const std::lock_guard lock(mutex_);
  if (!replay_) return;  // the response to a row of a replay that was given up
  if (response.id < replay_->first_id) return;  // likewise, of a replay before this one
  rows_broken_ += response.failure == agent_protocol::RowFailure::kReset ||
                  response.failure == agent_protocol::RowFailure::kConnect;
  agent_protocol::Response own = response;
  own.id -= replay_->first_id;
  if (!replay_->loop->Responded(own, now)) {
    LogWarn("agent answered a row that was not in flight", {{"id", response.id}});
    return;
  }
  const auto lag = std::chrono::microseconds(replay_->loop->result().requests.back().lag_us);
  longest_lag_ = std::max<std::chrono::nanoseconds>(longest_lag_, lag);
  if (replay_->ends_at_kill) kills_.RowResponded(replay_->loop->result().requests.back(), now);
  FillLoop(*replay_);
  if (replay_->loop->Done(now) || NextAt(now)) changed_.notify_all();
}

void AgentSession::OnSample(const Sample& sample) {
  const std::lock_guard lock(mutex_);
  samples_.push_back(sample);
  if (replay_ && replay_->is_open_loop) {
    samples_.back().send_lag = std::exchange(longest_lag_, std::chrono::nanoseconds{0});
  }
}

void AgentSession::OnReady(const agent_protocol::Ready& ready) {
  const std::lock_guard lock(mutex_);
  ready_ = ready;
  changed_.notify_all();
}

// The victim's end is told right behind the kill, or as soon as its absence is noticed. One that
// ended with a status was not killed. A name holds what its program put there.
void AgentSession::NameVictim(const agent_protocol::ProcessEvent& event) {
  const auto killed_at = std::exchange(killed_at_, std::nullopt);
  const bool by_its_parent = event.kind == agent_protocol::ProcessEvent::Kind::kChildDied;
  const bool killed = event.signal == SIGKILL || (by_its_parent && event.signal == 0);
  if (!killed_at || !killed || clock_.Now() - *killed_at > kWordOfVictim) return;
  for (const char c : event.detail.substr(0, kMostName)) {
    death_.killed_process += c > ' ' && c < '\x7f' ? c : '?';
  }
}

void AgentSession::OnProcessEvent(const agent_protocol::ProcessEvent& event) {
  using Kind = agent_protocol::ProcessEvent::Kind;
  const std::lock_guard lock(mutex_);
  switch (event.kind) {
    case Kind::kStarted: return;
    case Kind::kStartFailed:
      death_.start_failed = event.detail;
      ended_ = true;
      break;
    case Kind::kExited:
      if (event.signal != 0) {
        death_.signal = event.signal;
      } else {
        death_.exit_code = event.exit_code;
      }
      NameVictim(event);
      ended_ = true;
      break;
    case Kind::kChildDied:
      NameVictim(event);
      ++(event.signal != 0 ? children_killed_ : children_gone_);
      kills_.ProcessDied(clock_.Now());
      break;
    case Kind::kOomKill:
      if (event.oom_kills <= death_.oom_kills) break;
      death_.oom_kills = event.oom_kills;
      if (death_.killed_process.empty()) killed_at_ = clock_.Now();
      kills_.ProcessDied(clock_.Now());
      break;
    case Kind::kWriteRefused:
      if (death_.refused_writes.size() == kMostRefused) {
        death_.refused_writes.erase(death_.refused_writes.begin());
      }
      death_.refused_writes.push_back({event.detail, event.folder});
      break;
    case Kind::kToldToEnd: death_.told_to_end = event.signal; return;  // whether it obeys is seen
    case Kind::kNotReady:
      death_.not_ready = event.detail;
      ended_ = true;
      break;
  }
  changed_.notify_all();
}

void AgentSession::OnClosed(const Error& why) {
  const std::lock_guard lock(mutex_);
  if (!ended_) {
    death_.agent_lost = true;
    LogWarn("agent connection closed", {{"why", why.message()}});
  }
  closed_ = true;
  changed_.notify_all();
}

LiveReplay AgentSession::Live() const {
  const ReplayResult& result = replay_->loop->result();
  LiveReplay live;
  live.responses = result.requests.size();
  live.failures = result.failures;
  std::vector<std::uint32_t> recent;
  const std::size_t from =
      result.requests.size() > kRecentRequests ? result.requests.size() - kRecentRequests : 0;
  for (std::size_t i = from; i < result.requests.size(); ++i) {
    if (result.requests[i].Succeeded()) recent.push_back(result.requests[i].latency_us);
  }
  live.recent_p95_ms = LatencyDistribution(std::move(recent)).QuantileMs(0.95).value_or(0);
  return live;
}

}  // namespace mlprof::server
