#include "server/profiling/phases/limited_warm_up.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "server/analysis/row_order.h"
#include "server/analysis/steady_state.h"
#include "server/profiling/phases/hopeless_load.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/warm_up_windows.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::nanoseconds;

// Shorter than the reference's windows (warm_up.cc), and cut off: at a limit that makes rows wait
// 50 of them take longer than a load, and what a few show is enough to fail one that is far too
// low.
constexpr std::chrono::seconds kLimitedWindow{1};
constexpr std::chrono::seconds kLongestWindow{2};
constexpr std::size_t kRowsOfWindow = kBlockRows;
// Three windows of the longest kind; less where the budget is short, but never less than what fits
// several times into the share of it that proves an answer. Chosen, not measured.
constexpr std::chrono::seconds kLeastWarmUpTime{2};
constexpr std::chrono::seconds kMostWarmUpTime{6};
constexpr int kWarmUpsInBudget = 20;
// A first pass takes this long at most, as that of the reference, and half of what is left.
constexpr std::chrono::seconds kLongestFirstPass{60};
// The estimate is of the ceiling, with one row in flight: twice of it is no surprise.
constexpr int kDoubtOfPass = 2;

nanoseconds FromSeconds(double seconds) {
  return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(seconds));
}

nanoseconds TimeForWindows(const Budget& budget) {
  return std::clamp<nanoseconds>(budget.Left() / kWarmUpsInBudget, kLeastWarmUpTime,
                                 kMostWarmUpTime);
}

class WarmingUp {
 public:
  WarmingUp(Lab& lab, const Yardstick& yardstick, Container& container,
            const ReplayForWarmUp& replay, const ToldByWindows& told)
      : lab_(lab),
        yardstick_(yardstick),
        container_(container),
        replay_(replay),
        told_(told),
        rows_(yardstick.workload.rows_left()),
        window_(ClosedPlan(yardstick.workload, container.seed(), Concurrency(), kLimitedWindow)),
        warm_(Warm(yardstick)) {
    if (warm_) by_row_.emplace(VisitsOfLooks(yardstick.reference));
  }

  Result<LimitedWarmUp> Go() {
    if (yardstick_.workload.each_row_once) {
      VisitRowsApart();
      return facts_;
    }
    if (yardstick_.pace.first_pass.matters) MLPROF_TRY(VisitAllRows());
    BecomeSteady();
    return facts_;
  }

 private:
  bool Replay(const ReplayPlan& plan, nanoseconds time, ReplayResult& result) {
    facts_.survived = facts_.survived && replay_(plan, time, result);
    return facts_.survived;
  }

  // What this container does when it is warm, where that is known: of a rate the latencies tell of
  // its bursts, too, and with other settings it is another model.
  static std::optional<WarmUpWindow> Warm(const Yardstick& yardstick) {
    const bool same =
        yardstick.setup.environment.empty() && !yardstick.workload.objective.requests_per_second;
    return same ? WarmWindow(yardstick.reference) : std::nullopt;
  }

  static std::vector<Visit> VisitsOfLooks(const Reference& reference) {
    std::vector<Visit> visits;
    for (const Look& look : reference.looks) {
      visits.insert(visits.end(), look.visits.begin(), look.visits.end());
    }
    return visits;
  }

  int Concurrency() const { return yardstick_.workload.objective.ConcurrencyOrOne(); }

  // They are visited once, so no other row is known to the process when its load begins.
  void VisitRowsApart() {
    ReplayPlan plan = ClosedPlan(yardstick_.workload, Concurrency(), kLongestFirstPass);
    plan.order = yardstick_.workload.apart;
    if (plan.order.empty()) return;
    plan.max_requests = plan.order.size();
    ReplayResult result;
    Replay(plan, kLongestFirstPass, result);
  }

  // First visits are no part of the objective. Where they would take too long at the limit they are
  // made with the limit lifted (docs/decisions, 35).
  Status VisitAllRows() {
    const Cores limit = container_.limits().cpu();
    const nanoseconds longest = std::min<nanoseconds>(kLongestFirstPass, lab_.budget().Left() / 2);
    const FirstPass& pass = yardstick_.pace.first_pass;
    facts_.lifted = FirstPassTime(pass, Concurrency(), limit) > TimeForWindows(lab_.budget()) &&
                    limit < lab_.ceiling().cpu();
    if (facts_.lifted) MLPROF_TRY(container_.SetCpu(lab_.ceiling().cpu()));
    const nanoseconds expected = FirstPassTime(pass, Concurrency(), container_.limits().cpu());
    const nanoseconds time = std::min(longest, kDoubtOfPass * expected + kLeastWarmUpTime);
    ReplayPlan plan = ClosedPlan(yardstick_.workload, Concurrency(), time);
    plan.max_requests = plan.order.size();
    ReplayResult result;
    const bool survived = Replay(plan, time, result);
    facts_.whole_pass = survived && result.requests.size() >= rows_;
    if (!facts_.lifted) return {};
    const Status back = container_.SetCpu(limit);
    return survived ? back : Status();  // a model that died is told as that
  }

  void BecomeSteady() {
    const auto end = lab_.clock().Now() + TimeForWindows(lab_.budget());
    std::vector<WarmUpWindow> windows;
    ReplayResult all;
    std::size_t requests = 0;
    while (facts_.survived && !facts_.warm() && lab_.clock().Now() < end) {
      ReplayResult window;
      const nanoseconds left = std::min<nanoseconds>(kLongestWindow, end - lab_.clock().Now());
      if (!Replay(WindowPlan(requests, left), left, window)) return;
      if (window.requests.empty()) return;
      requests += window.requests.size();
      windows.push_back(MeasureWindow(container_, window));
      if (by_row_) by_row_->Add(windows.back(), window);
      Append(all, window);
      facts_.hopeless = windows.size() > 1 && IsHopelessSoFar(all);
      if (facts_.hopeless) return;
      facts_.told = told_ && told_(all);
      if (facts_.told) {
        facts_.beginning = std::move(all);
        return;
      }
      // What a row reads the first time is counted as warming up, however quick it is.
      const bool seen_all = requests >= rows_ && window.failures == 0;
      const bool counts = Judge(windows, MeasureWindow(container_, all), seen_all);
      if (counts && all.failures == 0) facts_.beginning = std::move(all);
    }
  }

  // Whether the windows so far are warm, and with that may be the beginning of the load. `all`: of
  // them as one.
  bool Judge(std::span<const WarmUpWindow> windows, const WarmUpWindow& all, bool seen_all) {
    const bool as_warm = warm_ && seen_all && IsAsWarm(windows.back(), *warm_);
    // Windows of other rows each do not agree, and tell the same together, or each by its rows.
    const bool throughout = warm_ && seen_all && IsAsWarm(all, *warm_);
    const bool by_row = by_row_ && seen_all && IsSteady(by_row_->told());
    facts_.steady = throughout || as_warm || by_row || IsSteady(windows);
    // First visits that cost more than later ones agree by their rows, too.
    const bool costs_the_same = yardstick_.pace.first_pass.costs_the_same;
    if (facts_.steady) {
      const bool agree = IsSteady(windows) || (by_row && costs_the_same);
      return throughout || (windows.size() == kWindowsThatAgree && agree);
    }
    // On a host whose speed moves no three may agree.
    const bool told = by_row_ && by_row_->told().size() == windows.size();
    facts_.as_fast_as_it_gets =
        seen_all && costs_the_same && IsNotBecomingFaster(told ? by_row_->told() : windows);
    return facts_.as_fast_as_it_gets;
  }

  bool IsHopelessSoFar(const ReplayResult& all) const {
    // Of a rate no load ends early.
    return !yardstick_.workload.objective.requests_per_second &&
           IsHopeless(yardstick_, all, container_.SamplesOf(all), kRequestsOfHopelessLoad / 2);
  }

  // As fast as without the limit, or as the limit lets them be computed.
  double RequestsOfWindow() const {
    const double without = RequestsWithin(yardstick_.reference, kLimitedWindow);
    const auto cost = UsualCost(yardstick_.reference);
    if (!cost || *cost <= 0) return without;
    return std::min(without, container_.limits().cpu().value() / *cost);
  }

  ReplayPlan WindowPlan(std::size_t first, nanoseconds left) const {
    ReplayPlan plan = window_;
    BeginAt(first, plan);
    plan.hard_max_time = left;
    plan.max_requests = WholePasses(plan.order.size(), kRowsOfWindow, RequestsOfWindow());
    plan.max_time = plan.max_requests ? left : std::min<nanoseconds>(kLimitedWindow, left);
    plan.min_requests = plan.max_requests ? 0 : std::min(kRowsOfWindow, plan.order.size());
    return plan;
  }

  Lab& lab_;
  const Yardstick& yardstick_;
  Container& container_;
  const ReplayForWarmUp& replay_;
  const ToldByWindows& told_;
  const std::size_t rows_;
  const ReplayPlan window_;  // of the container's order
  const std::optional<WarmUpWindow> warm_;
  std::optional<WindowsByRow> by_row_;  // by the reference's rows, where warm_ is known
  LimitedWarmUp facts_;
};

}  // namespace

std::chrono::nanoseconds FirstPassTime(const FirstPass& pass, int concurrency, Cores cpu) {
  // Rows wait side by side, and share the cores.
  const double waits = std::max(0.0, pass.seconds - pass.cpu_seconds) / concurrency;
  const double works = pass.cpu_seconds / std::min<double>(cpu.value(), concurrency);
  return FromSeconds(std::max(pass.seconds / concurrency, waits + works));
}

bool BeginsTheLoad(const Yardstick& yardstick, const ReplayPlan& plan) {
  const Workload& workload = yardstick.workload;
  return !plan.open_loop && plan.concurrency == 1 && !workload.each_row_once &&
         !yardstick.pace.first_pass.matters && workload.workers < 2 && workload.in_flight < 2;
}

Result<LimitedWarmUp> WarmUpAtLimits(Lab& lab, const Yardstick& yardstick, Container& container,
                                     const ReplayForWarmUp& replay, const ToldByWindows& told) {
  return WarmingUp(lab, yardstick, container, replay, told).Go();
}

std::chrono::nanoseconds WarmUpTime(const Yardstick& yardstick) {
  const FirstPass& pass = yardstick.pace.first_pass;
  if (!pass.matters || yardstick.workload.each_row_once) return kLeastWarmUpTime;
  const double seconds = pass.seconds / yardstick.workload.objective.ConcurrencyOrOne();
  return kLeastWarmUpTime + std::min<nanoseconds>(kLongestFirstPass, FromSeconds(seconds));
}

}  // namespace mlprof::server::phases
