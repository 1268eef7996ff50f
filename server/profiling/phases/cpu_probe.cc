#include "server/profiling/phases/cpu_probe.h"

#include <algorithm>
#include <cstdio>

#include "server/analysis/resource_use.h"
#include "server/profiling/phases/proof_load.h"
#include "server/profiling/phases/reference_in_turns.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

constexpr int kProbesToWait = 2;

tl::unexpected<RunEnd> LimitNotChanged(const char* what, const Error& error) {
  return FailRun({"RuntimeFailed",
                  std::string("the CPU limit could not be ") + what + ": " + error.message(),
                  {"run `mlprof doctor` on the server's machine"},
                  ""});
}

class Probing {
 public:
  Probing(Lab& lab, Container& container, const Workload& workload, const JudgedBeside& beside)
      : lab_(lab), container_(container), workload_(workload), beside_(beside) {}

  PhaseResult<Probed> At(const CpuProbe& wanted) {
    const Cores cpu = wanted.cpu;
    if (auto status = container_.SetCpu(cpu); !status) {
      return LimitNotChanged("changed", status.error());
    }
    char text[64];
    std::snprintf(text, sizeof text, "trying %.1f cores", cpu.value());
    lab_.Progressed(0.5, text);
    const Timestamp began = Now();
    const auto watch = container_.WatchHost();
    ReplayPlan plan = ObjectivePlan(workload_, container_.seed(), wanted.time);
    if (wanted.first_request > 0) BeginAt(wanted.first_request, plan);
    const ReplayResult replay = Replay(plan, EndOf(wanted));
    const ResourceUse use = Summarize(container_.SamplesOf(replay));
    Probed probed{{}, watch.End(use), {}, LookAt(plan, replay, container_.Samples()), {}};
    SetCost(use, replay, probed.look);
    if (auto ended = CheckTarget(lab_, container_, replay); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    Trial trial = MakeTrial(container_, workload_, wanted.purpose, plan, began, replay);
    const Reference beside =
        wanted.usual_cost ? OfNow(*wanted.usual_cost, replay, probed) : beside_.now;
    probed.verdict = Judge(beside, plan, replay, use, probed.look);
    if (!probed.verdict.passed && !wanted.usual_cost) JudgeOnSlowerHost(plan, replay, use, probed);
    trial.passed = probed.verdict.passed;
    trial.verdict = probed.verdict.sentence;
    lab_.Record(trial);
    if (replay.requests.size() >= RequestsForConfidence(0.95)) {
      probed.cpu_seconds_per_query = trial.measurements.cpu_seconds_per_query;
    }
    probed.clearly_slow = IsTooSlow(plan, replay);
    probed.successes = trial.measurements.success_queries;
    probed.point = PointOf(trial);
    return probed;
  }

 private:
  // Behind a proof a row that is never answered takes no more than this from what comes after.
  Deadline EndOf(const CpuProbe& wanted) const {
    const Budget& budget = lab_.budget();
    return wanted.usual_cost ? budget.AtMost(kProbesToWait * wanted.time.longest) : budget.end();
  }

  // In parts, of which the first may be enough.
  ReplayResult Replay(const ReplayPlan& plan, Deadline end) {
    const bool asked = !workload_.objective.latency_ms.empty();
    // Each part waits for its last rows, which takes from the rate of several in flight.
    const bool in_parts = !plan.open_loop && plan.concurrency == 1 &&
                          plan.max_time > kFirstBlockTime && (asked || !beside_.now.looks.empty());
    if (!in_parts) return container_.Replay(plan, end);
    ReplayResult replay;
    const auto send = [&](const ReplayPlan& part) { Append(replay, container_.Replay(part, end)); };
    const auto enough = [&] {
      return replay.stopped || replay.cut_off || replay.target_lost || IsTooSlow(plan, replay);
    };
    if (asked) {
      SendBlocks(plan, replay, enough, send);
      return replay;
    }
    ReplayPlan first = plan;
    first.max_time = kFirstBlockTime;
    send(first);
    if (replay.ended - replay.began < plan.max_time && !enough()) {
      if (const auto rest = AfterBeginning(plan, replay)) send(*rest);
    }
    return replay;
  }

  bool IsTooSlow(const ReplayPlan& plan, const ReplayResult& replay) const {
    return HasMissed(workload_.objective, plan, replay) ||
           IsClearlySlow(lab_, {workload_, container_, plan, replay}, beside_.now);
  }

  void JudgeOnSlowerHost(const ReplayPlan& plan, const ReplayResult& replay, const ResourceUse& use,
                         Probed& probed) {
    // What a rate costs that is not kept up with tells nothing of the host.
    if (plan.open_loop || !workload_.objective.latency_ms.empty()) return;
    const auto slower = OnSlowerHost(
        {workload_, container_, plan, replay}, beside_.now, [&](const Reference& reference) {
          return Judge(reference, plan, replay, use, probed.look).passed;
        });
    if (slower) probed.verdict = Judge(*slower, plan, replay, use, probed.look);
  }

  // On a faster host the reference may be faster by less than the work is: a failure beside that
  // would show nothing.
  Reference OfNow(double usual_cost, const ReplayResult& replay, Probed& probed) const {
    const auto cost = CostBeside(beside_.now, workload_, container_, replay);
    const auto of_reference = UsualCost(beside_.now);
    const double change = cost && usual_cost > 0 ? *cost * *of_reference / usual_cost : 0;
    probed.other_host = !cost || IsAnotherHost(*cost) || IsAnotherHost(change);
    return probed.other_host ? beside_.now : OnHostOfCost(beside_.now, std::max(1.0, *cost));
  }

  Verdict Judge(const Reference& beside, const ReplayPlan& plan, const ReplayResult& replay,
                const ResourceUse& use, const Look& look) const {
    VerificationEvidence evidence;
    evidence.became_ready = true;
    evidence.requests = std::ssize(replay.requests);
    // What fails without a CPU limit, by chance, or where the quota did not bind, is not the
    // limit's doing.
    evidence.new_failures = NewFailures(beside_.reference, replay);
    const bool throttled = use.throttled_share.value_or(0) >= kUnboundShare;
    if (throttled && evidence.new_failures >= kFewestNewFailures) {
      evidence.failures = evidence.new_failures;
    }
    evidence.reference_error_share = beside_.reference.error_share;
    evidence.throttled_share = use.throttled_share;
    // With all memory there is no such want.
    if (container_.limits().memory() < lab_.ceiling().memory()) {
      evidence.read_back = {use.refaults, std::ssize(replay.requests)};
    }
    SetBeside(beside, plan, look, evidence);
    const Objective& objective = workload_.objective;
    SetRate(RateOf(plan, replay, AcceptableMs(beside_.reference, objective)), evidence);
    return server::Judge(evidence, LatencyDistribution::ByRow(CountedVisits(plan, replay)),
                         objective);
  }

  Lab& lab_;
  Container& container_;
  const Workload& workload_;
  const JudgedBeside& beside_;
};

}  // namespace

CpuPoint PointOf(const Trial& trial) {
  const Measurements& measured = trial.measurements;
  CpuPoint point;
  point.cpu = trial.limits.cpu();
  point.mean_ms = measured.average_latency_ms.value_or(0);
  point.p50_ms = measured.latency_p50_ms.value_or(0);
  point.p95_ms = measured.latency_p95_ms.value_or(point.p50_ms);
  point.p99_ms = measured.latency_p99_ms;
  point.requests_per_second = measured.queries_per_second.value_or(0);
  point.throttled_share = measured.throttled_share.value_or(0);
  point.passed = trial.passed;
  return point;
}

PhaseResult<Probed> ProbeCpu(Lab& lab, Container& container, const Workload& workload,
                             const CpuProbe& probe, const JudgedBeside& beside) {
  return Probing(lab, container, workload, beside).At(probe);
}

PhaseResult<void> LiftCpuLimit(Lab& lab, Container& container) {
  if (auto status = container.SetCpu(lab.ceiling().cpu()); !status) {
    return LimitNotChanged("lifted again", status.error());
  }
  return {};
}

}  // namespace mlprof::server::phases
