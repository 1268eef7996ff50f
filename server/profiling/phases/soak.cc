#include "server/profiling/phases/soak.h"

#include <algorithm>

#include "server/analysis/sentence.h"
#include "server/profiling/phases/limited_run.h"
#include "server/profiling/phases/limited_warm_up.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/workers.h"

namespace mlprof::server::phases {
namespace {

// Memory is judged by about so many windows (server/analysis/memory_plateau.h has them tested), and
// none ends within a stretch.
constexpr int kSoakWindows = 60;
// Each stretch is a trial of its own. The records of its rows are given up with it, so that hours
// of load fit into memory.
constexpr std::chrono::seconds kSoakStretch{30};
// Of a rate a stretch has so many requests on average: it ends with the last of them.
constexpr double kRequestsOfStretch = 30;
// What is left after the stretches is not worth another one.
constexpr double kNothingLeft = 0.5;

double InSeconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::chrono::nanoseconds OfSeconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

class Soaking {
 public:
  Soaking(Lab& lab, const Yardstick& yardstick, Container& container, std::chrono::seconds time)
      : lab_(lab), yardstick_(yardstick), container_(container), time_(time) {}

  SoakFacts Go() {
    if (!Start() || !WarmUp()) return facts_;
    while (Serve()) {
    }
    if (!facts_.failed && TooManyFailures(1)) FailForErrors();
    facts_.whole =
        !facts_.failed && !facts_.ended_by && facts_.seconds >= InSeconds(time_) - kNothingLeft;
    facts_.memory =
        JudgePlateau(MakeMemoryWindows(container_.Samples(), container_.watched(), Window()));
    return facts_;
  }

 private:
  bool Start() {
    if (container_.StartWhole(LongestStart(yardstick_, container_.limits().cpu()))) return true;
    if (!lab_.stopped() && !container_.RanOutOfBudget()) {
      facts_.failed = "it did not start: " + DiagnoseDeath(container_.Death()).message;
    }
    return false;
  }

  bool WarmUp() {
    if (!yardstick_.pace.first_pass.matters) return true;
    const auto warm_up = WarmUpAtLimits(
        lab_, yardstick_, container_,
        [this](const ReplayPlan& plan, std::chrono::nanoseconds, ReplayResult& result) {
          result = container_.Replay(plan, lab_.budget().end());
          return Bore(result);
        });
    return warm_up && !facts_.failed && !lab_.stopped() && !lab_.budget().Passed();
  }

  std::chrono::nanoseconds Window() const {
    return std::max<std::chrono::nanoseconds>(std::chrono::seconds(1), time_ / kSoakWindows);
  }

  std::chrono::nanoseconds Stretch() const {
    const auto& rate = yardstick_.workload.objective.requests_per_second;
    const auto enough = OfSeconds(rate ? kRequestsOfStretch / *rate : 0);
    const auto left = OfSeconds(InSeconds(time_) - facts_.seconds);
    return std::min(left, std::max({std::chrono::nanoseconds(kSoakStretch), Window(), enough}));
  }

  // False where it is over.
  bool Serve() {
    const double left = InSeconds(time_) - facts_.seconds;
    if (left <= kNothingLeft || lab_.stopped() || lab_.budget().Passed()) return false;
    lab_.Progressed(facts_.seconds / InSeconds(time_),
                    Sentence("soaking, %lld requests so far, %.0f s to go",
                             static_cast<long long>(facts_.requests), left));
    const Timestamp began = Now();
    const auto time = Stretch();
    const ReplayPlan plan = PlanOf(time);
    const ReplayResult replay = container_.Replay(
        plan,
        lab_.budget().AtMost(LongestReplay(yardstick_.pace, time, container_.limits().cpu())));
    facts_.seconds += plan.open_loop && !replay.cut_off && !replay.target_lost
                          ? std::max(replay.Seconds(), InSeconds(time))
                          : replay.Seconds();
    facts_.requests += std::ssize(replay.requests);
    facts_.failures += replay.failures;
    const bool bore = Bore(replay);
    Trial trial =
        MakeTrial(container_, yardstick_.workload, TrialPurpose::kSoak, plan, began, replay);
    trial.passed = !facts_.failed;
    trial.verdict = facts_.failed.value_or("held");
    lab_.Record(trial);
    return bore;
  }

  // Where a connection for each request is in the objective, every second stretch has them. The
  // rows go on where the stretch before ended, and random arrivals have other bursts.
  ReplayPlan PlanOf(std::chrono::nanoseconds time) {
    ReplayPlan plan = ObjectivePlan(yardstick_.workload, container_.seed(), {time, 0, time});
    BeginAt(static_cast<std::size_t>(facts_.requests), plan);
    if (plan.open_loop) {
      plan.open_loop->seed += static_cast<std::uint64_t>(stretches_);
      // The busiest stretch of a trace was what proved the answer; here all of it has its turn.
      if (stretches_ > 0) plan.open_loop->busiest = {};
    }
    const bool both = yardstick_.workload.objective.connections == ConnectionUse::kBoth;
    const bool fresh = both && stretches_ % 2 == 1;
    ++stretches_;
    return fresh ? WithFreshConnections(std::move(plan)) : plan;
  }

  bool Bore(const ReplayResult& replay) {
    if (replay.stopped || lab_.stopped()) return false;
    if (container_.WasEndedForDisk()) {
      facts_.ended_by = DiagnoseDeath(container_.Death());
      return false;
    }
    const bool none_held =
        !replay.requests.empty() && replay.failures == std::ssize(replay.requests);
    if (replay.target_lost || container_.OomKills() > 0) {
      facts_.failed = DiagnoseDeath(container_.Death()).message;
    } else if (none_held) {
      facts_.failed = "every request failed";
    } else if (TooManyFailures(RequestsToSee(yardstick_.workload.objective))) {
      FailForErrors();
    } else if (replay.cut_off && !lab_.budget().Passed()) {
      facts_.failed = "rows were not answered any more";
    }
    return !facts_.failed && !replay.cut_off;
  }

  // Of fewer requests than `least` a share says nothing.
  bool TooManyFailures(std::size_t least) const {
    if (facts_.requests < static_cast<std::int64_t>(least)) return false;
    const double share =
        static_cast<double>(facts_.failures) / static_cast<double>(facts_.requests);
    return share >
           std::max(yardstick_.workload.objective.max_error_rate, yardstick_.reference.error_share);
  }

  void FailForErrors() {
    facts_.failed =
        Sentence("%lld of %lld requests failed", static_cast<long long>(facts_.failures),
                 static_cast<long long>(facts_.requests));
  }

  Lab& lab_;
  const Yardstick& yardstick_;
  Container& container_;
  const std::chrono::seconds time_;
  SoakFacts facts_;
  int stretches_ = 0;
};

}  // namespace

PhaseResult<SoakFacts> Soak(Lab& lab, const Yardstick& yardstick, const Limits& answer,
                            std::chrono::seconds time) {
  lab.Progressed(0, "soaking at the answer");
  const auto container =
      lab.Launch({answer, yardstick.setup, lab.NextSeed(), PageCache::kCold, Use::kObjective});
  SoakFacts facts;
  // What was proven stays, whatever the engine lacks now.
  if (container) {
    facts = Soaking(lab, yardstick, **container, time).Go();
    (*container)->Close();
  }
  if (lab.stopped()) return Canceled();
  return facts;
}

}  // namespace mlprof::server::phases
