#include "server/profiling/phases/tightness.h"

#include <algorithm>
#include <utility>

#include "server/analysis/descent.h"
#include "server/analysis/latency.h"
#include "server/analysis/proof_count.h"
#include "server/profiling/phases/heap_search.h"
#include "server/profiling/phases/reference_in_turns.h"
#include "server/profiling/phases/too_little.h"
#include "server/profiling/phases/unexplained_errors.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kFirstTime{5};
// The budget that is left must hold so many times the slowest run that proved the answer: a run one
// step lower is slower. Chosen, not measured.
constexpr double kRunsThatMustFit = 1.5;

// What a run one step lower bore, whether or not it was quick enough.
struct Borne {
  Limits limits;
  std::int64_t requests = 0;
  bool killed = false;
};

// A cap is searched by a phase of its own, down to what did not hold.
bool IsLowered(ResourceKind kind) { return RulesOf(kind).search != LimitSearch::kHardCap; }

class Descents {
 public:
  Descents(Lab& lab, Yardstick yardstick, const Verification& verification, const OnTightness& told)
      : lab_(lab), yardstick_(std::move(yardstick)), verification_(verification), told_(told) {
    state_.proof = *verification.proof;
    state_.failed = verification.failed;
    const auto& step = verification.cpu_step;
    if (step) borne_.push_back({step->limits, step->requests, step->killed});
  }

  // Each resource by itself, the enumerators backwards: what a model dies for want of comes before
  // CPU, for want of which it is slow.
  PhaseResult<void> LowerAll() {
    for (auto kind = kResources.rbegin(); kind != kResources.rend(); ++kind) {
      const auto limit = state_.proof.limits.Find(*kind);
      if (!limit || !IsLowered(*kind)) continue;
      if (auto ended = Descend(Descent(*limit)); !ended) return ended;
    }
    return {};
  }

  Tightness Conclude() {
    state_.reference = yardstick_.reference;
    SeeLoadsWithLessCpu();
    return std::move(state_);
  }

 private:
  void SeeLoadsWithLessCpu() {
    const Limits& answer = state_.proof.limits;
    for (const Borne& load : borne_) {
      if (load.limits.cpu() > answer.cpu()) continue;
      const Bytes memory = load.limits.memory();
      state_.killed = state_.killed || (load.killed && memory >= answer.memory());
      if (load.limits.cpu() == answer.cpu()) continue;
      if (!load.killed && memory <= answer.memory()) state_.requests += load.requests;
    }
  }

  // What failed on the way to the answer was judged with no less care, as were the runs that held
  // there before it.
  void TellKnown(const Limits& others, Descent& descent) {
    for (const FailedTry& known : state_.failed) {
      const auto step = descent.Next();
      const bool of_step = step && known.shortage == step->kind() && !known.disturbed &&
                           known.limits == others.With(*step);
      if (!of_step) continue;
      for (int pass = 0; pass < known.passes; ++pass) descent.Tell(true, false);
      descent.Tell(false);
    }
    TellStepBefore(descent);
    TellCpuStep(others, descent);
  }

  // Held, and may not be taken: with as much CPU as was proven, or less.
  void TellStepBefore(Descent& descent) const {
    const auto step = descent.Next();
    const bool of_step =
        step && step->kind() == ResourceKind::kMemory && verification_.step_tried == step->bytes();
    if (of_step && verification_.step_held) descent.TellHeldInVain();
  }

  // Behind what fresh containers showed.
  void TellCpuStep(const Limits& others, Descent& descent) {
    const auto& tried = verification_.cpu_step;
    const auto step = descent.Next();
    if (!step || !tried || tried->limits != others.With(*step)) return;
    for (int failure = 0; failure < tried->failures; ++failure) descent.Tell(false);
    if (!descent.failed()) return;
    state_.failed.push_back({tried->limits, ResourceKind::kCpu, tried->tail});
  }

  PhaseResult<void> Descend(Descent descent) {
    const Limits others = state_.proof.limits;
    const ResourceKind resource = descent.accepted().kind();
    TellKnown(others, descent);
    std::vector<LimitedRun> passes;
    while (const auto step = descent.Next()) {
      MLPROF_LET(run, RunFairly(others.With(*step), resource));
      if (!run) break;
      const bool passed = run->verdict.passed;
      if (passed && HeldInVain(*run, resource)) {
        descent.TellHeldInVain();
      } else {
        descent.Tell(passed, passed && MayTake(*run, resource));
      }
      if (!passed && descent.failed()) {
        state_.failed.push_back(FailedFor(*run, resource));
      }
      if (!passed) continue;
      passes.push_back(*std::move(run));
      if (descent.accepted() != *step) continue;
      state_.proof = {others.With(*step), std::exchange(passes, {})};
      told_(state_);
    }
    if (const auto tight = descent.tight()) state_.tight_each.Set(resource, *tight);
    return {};
  }

  // A run whose outcome tells of `resource`: it passed, or failed for want of it. Once more where
  // it failed of something else, or for its speed on a busy host, or held on a faster one; nothing
  // where that does not help, or the budget does not hold it.
  PhaseResult<std::optional<LimitedRun>> RunFairly(const Limits& limits, ResourceKind resource) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!Affordable()) return std::nullopt;
      lab_.Progressed(0.5, "trying one step lower");
      MLPROF_LET(run, RunAtLimits(lab_, yardstick_, StepPlan(limits)));
      yardstick_.reference = run.reference;
      borne_.push_back({run.trial.limits, run.trial.measurements.success_queries, run.killed});
      const bool passed = run.verdict.passed;
      if (passed && run.without_look) continue;
      if (passed || (TellsOf(resource, run) && !IsDisturbed(run))) return std::move(run);
    }
    return std::nullopt;
  }

  // Memory that was proven is not short for the few pages that its proof may have read back, too;
  // and with a request's CPU as it was, the host is no slower.
  bool TellsOf(ResourceKind resource, const LimitedRun& run) const {
    if (resource == ResourceKind::kMemory) return LackedMemory(run, verification_);
    return run.verdict.shortage == resource ||
           (resource == ResourceKind::kCpu && IsSlowWithFewPages(run) && run.cost &&
            !IsOnSlowerHost(run.cost));
  }

  // Shorter than what proved the answer, but with the requests that its slowest ones were judged
  // by, unless it is clearly too slow before.
  LimitedRunPlan StepPlan(const Limits& limits) {
    LimitedRunPlan plan = ProofPlan(lab_.budget(), yardstick_, limits, TrialPurpose::kTightness, 1);
    plan.load.time = std::min<std::chrono::nanoseconds>(plan.load.time, kFirstTime);
    plan.load.min_requests = RequestsToSee(yardstick_.workload.objective);
    plan.once = true;  // two of three runs decide
    plan.lowers_cpu_alone = limits == state_.proof.limits.With(limits.cpu());
    // A latency that is asked for is judged by its own count.
    const bool tail = yardstick_.workload.objective.latency_ms.empty();
    if (tail && std::all_of(state_.proof.passes.begin(), state_.proof.passes.end(),
                            [this](const LimitedRun& run) { return TailIsJudged(run); })) {
      plan.load.min_requests = std::max(plan.load.min_requests, RequestsForConfidence(0.99));
    }
    return plan;
  }

  bool TailIsJudged(const LimitedRun& run) const {
    std::size_t fewest = run.latencies.size();
    if (run.fresh_latencies) fewest = std::min(fewest, run.fresh_latencies->size());
    return !UnprovenTail(yardstick_.workload.objective, fewest);
  }

  // Whether the budget holds one more run, by the slowest of those that proved the answer.
  bool Affordable() {
    const Budget& budget = lab_.budget();
    double longest = 0;
    double later_ready = 0;  // than at the ceiling
    for (const LimitedRun& run : state_.proof.passes) {
      const double start = run.trial.measurements.start_seconds.value_or(0);
      longest = std::max(longest, run.trial.seconds);
      later_ready = std::max(later_ready, start - yardstick_.pace.start_seconds);
    }
    const std::chrono::duration<double> needed =
        kRunsThatMustFit * std::chrono::duration<double>(longest) +
        TimeBeforeLoad(budget, yardstick_) +
        budget.ChargeOf(std::chrono::milliseconds(static_cast<std::int64_t>(later_ready * 1000)));
    return budget.Left() > needed;
  }

  // Whether a lower limit that held may become the answer. Memory not, if it was filled nearly to
  // the limit, or requests pay for it. CPU not on a noisy host, where a slow reference makes a
  // lower limit look good; and not for a rate, whose room for bursts a short run does not test.
  // Neither by a run that was too short to prove it.
  bool MayTake(const LimitedRun& run, ResourceKind resource) const {
    if (!ProvesAsMuch(run)) return false;
    if (RulesOf(resource).search == LimitSearch::kLive) {
      return !lab_.host().noisy() && !yardstick_.workload.objective.requests_per_second;
    }
    return LeftRoom(yardstick_, run, resource, verification_);
  }

  // Where it had no time for them, its slowest requests may be what more was chosen for.
  bool ProvesAsMuch(const LimitedRun& run) const {
    return !run.lacks && (!TailIsJudged(state_.proof.passes.front()) || TailIsJudged(run));
  }

  // Another run with so much memory would leave no more room. Without all the rows that memory
  // grows with it shows nothing.
  bool HeldInVain(const LimitedRun& run, ResourceKind resource) const {
    return resource == ResourceKind::kMemory && ProvesAsMuch(run) &&
           !LeftRoom(yardstick_, run, resource, verification_) &&
           (!yardstick_.workload.grows_with_inputs || run.saw_all_rows);
  }

  Lab& lab_;
  Yardstick yardstick_;
  const Verification& verification_;
  const OnTightness& told_;
  Tightness state_;
  std::vector<Borne> borne_;
};

}  // namespace

std::optional<bool> Tightness::tight() const {
  bool all = true;
  for (const Amount& limit : proof.limits.All()) {
    if (!IsLowered(limit.kind())) continue;
    const bool* each = tight_each.Find(limit.kind());
    if (each == nullptr) return std::nullopt;
    all = all && *each;
  }
  return all;
}

// What was proven stays, whatever happens to a run that was only to show more; a stop ends the
// profile all the same.
Tightness TestTightness(Lab& lab, Yardstick yardstick, const Verification& verification,
                        const OnTightness& told) {
  Descents descents(lab, std::move(yardstick), verification, told);
  const auto ended = descents.LowerAll();
  Tightness tightness = descents.Conclude();
  tightness.cut_short = !ended.has_value();
  const bool canceled = !ended && ended.error().state == ProfileState::kCanceled;
  if (canceled || lab.stopped()) tightness.canceled = RunEnd{ProfileState::kCanceled, std::nullopt};
  return tightness;
}

}  // namespace mlprof::server::phases
