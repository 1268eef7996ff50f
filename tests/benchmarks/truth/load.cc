#include "tests/benchmarks/truth/load.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

namespace truth {
namespace {

using Clock = std::chrono::steady_clock;

// At a rate more requests than these are never in flight; later ones wait, and it counts.
constexpr int kMostInFlight = 64;

// Slow responses beyond these: more than the twentieth that p95 forgives, and room for a bad start.
constexpr double kForgivenShare = 0.075;
constexpr double kForgivenAtLeast = 5;

// How many responses the load brings if each takes `each`.
double Expected(const Load& load, std::size_t rows, std::chrono::duration<double> each) {
  const double in_passes = static_cast<double>(load.passes) * static_cast<double>(rows);
  const double per_second = load.rate > 0 ? load.rate : load.concurrency / each.count();
  return std::max(
      {in_passes, static_cast<double>(load.requests), load.seconds.count() * per_second});
}

// Hands out what to send next, and takes in how it went. Any thread.
class Schedule {
 public:
  struct Ticket {
    std::size_t row = 0;
    Clock::time_point due;
  };

  Schedule(std::size_t rows, const Load& load)
      : load_(load), order_(rows), random_(load.seed), began_(Clock::now()), next_due_(began_) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  bool Next(Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    const Clock::time_point at = load_.rate > 0 ? next_due_ : Clock::now();
    if (Done(at)) return false;
    if (sent_ % order_.size() == 0) std::shuffle(order_.begin(), order_.end(), random_);
    ticket = {order_[sent_++ % order_.size()], at};
    if (load_.rate > 0) {
      const std::chrono::duration<double> gap(
          std::exponential_distribution<double>(load_.rate)(random_));
      next_due_ += std::chrono::duration_cast<Clock::duration>(gap);
    }
    return true;
  }

  void Took(const Ticket& ticket, bool responded, const std::string& why) {
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex_);
    if (responded) {
      outcome_.latencies.push_back(now - ticket.due);
      if (load_.hopeless.count() > 0 && now - ticket.due > load_.hopeless) NoteSlow();
      return;
    }
    if (outcome_.failures++ == 0) {
      outcome_.first_failure = "row " + std::to_string(ticket.row) + ": " + why;
    }
  }

  Outcome Finish() {
    outcome_.took = Clock::now() - began_;
    return std::move(outcome_);
  }

 private:
  void NoteSlow() {
    const double forgiven = kForgivenShare * Expected(load_, order_.size(), load_.hopeless);
    outcome_.gave_up = ++slow_ > std::max(forgiven, kForgivenAtLeast);
  }

  bool Done(Clock::time_point at) const {
    if (outcome_.gave_up || (load_.stop_at_failure && outcome_.failures > 0)) return true;
    const auto elapsed = at - began_;
    if (elapsed >= load_.longest) return true;
    if (load_.whole_passes && load_.rate == 0 && sent_ % order_.size() != 0) return false;
    return elapsed >= load_.seconds && sent_ >= static_cast<std::size_t>(load_.requests) &&
           sent_ >= static_cast<std::size_t>(load_.passes) * order_.size();
  }

  const Load& load_;
  std::mutex mutex_;
  std::vector<std::size_t> order_;
  std::mt19937 random_;
  std::size_t sent_ = 0;
  const Clock::time_point began_;
  Clock::time_point next_due_;
  double slow_ = 0;
  Outcome outcome_;
};

// A word that no body had before, in this process or in an earlier one.
std::string NewWord() {
  static const std::string kProcess =
      " visit" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + ".";
  static std::atomic<std::uint64_t> count{0};
  return kProcess + std::to_string(++count);
}

void SendTickets(const Endpoint& endpoint, const std::vector<std::string>& rows, const Load& load,
                 Schedule& schedule) {
  HttpConnection connection(endpoint);
  for (Schedule::Ticket ticket; schedule.Next(ticket);) {
    const std::string& row = rows[ticket.row];
    const std::string body = load.distinct ? row + NewWord() : row;
    std::this_thread::sleep_until(ticket.due);
    if (load.fresh_connections) connection.Close();
    std::string why;
    const int status = connection.Send(endpoint.method, endpoint.path, body, why);
    if (status != 0) why = "status " + std::to_string(status);
    schedule.Took(ticket, status >= 200 && status < 300, why);
  }
}

}  // namespace

Outcome Replay(const Endpoint& endpoint, const std::vector<std::string>& rows, const Load& load) {
  Schedule schedule(rows.size(), load);
  std::vector<std::jthread> senders;
  const int threads = load.rate > 0 ? kMostInFlight : load.concurrency;
  for (int i = 0; i < threads; ++i) {
    senders.emplace_back([&] { SendTickets(endpoint, rows, load, schedule); });
  }
  senders.clear();
  return schedule.Finish();
}

}  // namespace truth
