#include "server/analysis/what_if/quota_queue.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "server/analysis/arrival_schedule.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMostWork = 20'000'000;  // steps of a simulation, times the requests it moves
constexpr double kPeriodMs = 100;
constexpr double kNothing = 1e-9;  // milliseconds: what rounding leaves of work that is done
constexpr double kNever = std::numeric_limits<double>::infinity();

struct Request {
  double arrived_ms = 0;
  double cpu_ms = 0;
  double wait_ms = 0;
};

// Arrivals in order; the times are those of an open loop, a closed one calls Arrive itself.
class Simulation {
 public:
  Simulation(std::span<const RowWork> rows, const ServerShape& server, Cores quota)
      : rows_(rows),
        workers_(static_cast<std::size_t>(std::max(1, server.workers))),
        most_cores_(std::max(0.001, server.most_cores)),
        parallelism_(std::clamp(server.parallelism, 0.001, most_cores_)),
        allowance_ms_(std::max(0.001, quota.value()) * kPeriodMs),
        left_ms_(allowance_ms_) {}

  double now_ms() const { return now_ms_; }
  std::size_t finished() const { return latencies_us_.size(); }

  void Arrive(double at_ms) {
    const RowWork& row = rows_[arrivals_++ % rows_.size()];
    queue_.push_back({at_ms, row.cpu_ms, row.wait_ms});
    FillWorkers();
  }

  // Runs to the next event, or to `until_ms` where that is earlier. How many requests ended there.
  std::size_t Step(double until_ms) {
    const auto busy = static_cast<double>(CountBusy());
    const bool throttled = busy > 0 && left_ms_ <= kNothing;
    const double rate = busy > 0 && !throttled ? std::min(parallelism_, most_cores_ / busy) : 0;
    NotePeriod(busy > 0, throttled);
    double step = until_ms - now_ms_;
    if (busy > 0) step = std::min(step, period_end_ms_ - now_ms_);
    if (rate > 0) step = std::min(step, left_ms_ / (rate * busy));
    for (const Request& request : running_) step = std::min(step, TimeLeft(request, rate));
    work_ += 1 + running_.size();
    Advance(std::max(0.0, step), rate, rate * busy);
    return Collect();
  }

  /// Some seconds of it: what is known by then has to do.
  bool Exhausted() const { return work_ > kMostWork; }

  QueueOutcome Finish() {
    QueueOutcome outcome;
    if (now_ms_ > 0) {
      outcome.requests_per_second = static_cast<double>(finished()) * 1000 / now_ms_;
      outcome.cores = used_ms_ / now_ms_;
    }
    if (periods_ > 0) outcome.throttled_share = throttled_periods_ / periods_;
    outcome.latencies = LatencyDistribution(std::move(latencies_us_));
    return outcome;
  }

 private:
  std::size_t CountBusy() const {
    return static_cast<std::size_t>(std::count_if(
        running_.begin(), running_.end(), [](const Request& r) { return r.cpu_ms > kNothing; }));
  }

  static double TimeLeft(const Request& request, double rate) {
    if (request.cpu_ms <= kNothing) return request.wait_ms;
    return rate > 0 ? request.cpu_ms / rate : kNever;
  }

  void NotePeriod(bool busy, bool throttled) {
    if (busy && !period_busy_) periods_ += 1;
    if (throttled && !period_throttled_) throttled_periods_ += 1;
    period_busy_ = period_busy_ || busy;
    period_throttled_ = period_throttled_ || throttled;
  }

  void Advance(double step_ms, double rate, double cores) {
    for (Request& request : running_) {
      if (request.cpu_ms > kNothing) {
        request.cpu_ms -= rate * step_ms;
      } else {
        request.wait_ms -= step_ms;
      }
    }
    now_ms_ += step_ms;
    left_ms_ -= cores * step_ms;
    used_ms_ += cores * step_ms;
    if (now_ms_ < period_end_ms_ - kNothing) return;
    period_end_ms_ = (std::floor(now_ms_ / kPeriodMs + kNothing) + 1) * kPeriodMs;
    left_ms_ = allowance_ms_;
    period_busy_ = period_throttled_ = false;
  }

  std::size_t Collect() {
    std::size_t ended = 0;
    std::erase_if(running_, [&](const Request& request) {
      if (request.cpu_ms > kNothing || request.wait_ms > kNothing) return false;
      latencies_us_.push_back(static_cast<std::uint32_t>(
          std::clamp((now_ms_ - request.arrived_ms) * 1000 + 0.5, 0.0, 4e9)));
      ++ended;
      return true;
    });
    FillWorkers();
    return ended;
  }

  void FillWorkers() {
    while (running_.size() < workers_ && !queue_.empty()) {
      running_.push_back(queue_.front());
      queue_.pop_front();
    }
  }

  std::span<const RowWork> rows_;
  std::size_t workers_;
  double most_cores_;
  double parallelism_;
  double allowance_ms_;
  double left_ms_;  // of the allowance of this period
  double now_ms_ = 0;
  double period_end_ms_ = kPeriodMs;
  bool period_busy_ = false;
  bool period_throttled_ = false;
  double periods_ = 0;
  double throttled_periods_ = 0;
  double used_ms_ = 0;
  std::size_t arrivals_ = 0;
  std::size_t work_ = 0;
  std::deque<Request> queue_;
  std::vector<Request> running_;
  std::vector<std::uint32_t> latencies_us_;
};

}  // namespace

QueueOutcome SimulateClosedLoop(std::span<const RowWork> rows, const ServerShape& server,
                                Cores quota, int concurrency, std::int64_t requests) {
  if (rows.empty() || requests <= 0) return {};
  Simulation simulation(rows, server, quota);
  const auto wanted = static_cast<std::size_t>(requests);
  std::size_t sent = std::min(wanted, static_cast<std::size_t>(std::max(1, concurrency)));
  for (std::size_t i = 0; i < sent; ++i) simulation.Arrive(0);
  while (simulation.finished() < wanted && !simulation.Exhausted()) {
    std::size_t ended = simulation.Step(kNever);
    for (; ended > 0 && sent < wanted; --ended, ++sent) simulation.Arrive(simulation.now_ms());
  }
  return simulation.Finish();
}

QueueOutcome SimulateOpenLoop(std::span<const RowWork> rows, const ServerShape& server, Cores quota,
                              const ArrivalPlan& plan, std::int64_t requests) {
  if (rows.empty() || requests <= 0 || plan.requests_per_second <= 0) return {};
  Simulation simulation(rows, server, quota);
  ArrivalSchedule schedule(plan.requests_per_second, plan.arrivals, plan.seed);
  const auto wanted = static_cast<std::size_t>(requests);
  std::size_t sent = 0;
  double next_ms = schedule.due_seconds() * 1000;
  double last_ms = 0;
  while (simulation.finished() < wanted && !simulation.Exhausted()) {
    double until_ms = next_ms;
    if (sent == wanted) until_ms = kNever;
    simulation.Step(until_ms);
    if (sent == wanted || simulation.now_ms() < next_ms - kNothing) continue;
    simulation.Arrive(next_ms);
    last_ms = next_ms;
    ++sent;
    schedule.Advance();
    next_ms = schedule.due_seconds() * 1000;
  }
  QueueOutcome outcome = simulation.Finish();
  if (last_ms > 0) outcome.offered_per_second = 1000 * static_cast<double>(sent) / last_ms;
  return outcome;
}

}  // namespace mlprof::server
