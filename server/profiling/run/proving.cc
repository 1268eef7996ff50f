// The part of a run that proves its answer, in fresh containers at limits.
#include "server/profiling/run/story.h"

#include <algorithm>

#include "common/log/log.h"
#include "server/analysis/confidence.h"
#include "server/profiling/phases/arenas.h"
#include "server/profiling/phases/limited_warm_up.h"
#include "server/profiling/run/findings.h"
#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/no_answer.h"
#include "server/profiling/run/proven.h"
#include "server/profiling/run/settings.h"

namespace mlprof::server {

using namespace phases;  // NOLINT(google-build-using-namespace): this is their story

namespace {

// A search of fewer runs tells nothing: one that fails, and one that holds.
constexpr int kMemoryRuns = 2;
// Beside the load of a soak and what comes before it: the last rows' responses, a slower start.
constexpr std::chrono::seconds kSoakSlack{10};

bool Lift(Container& container) {
  const Status lifted = container.LiftLimits();
  if (!lifted && lifted.error().code() != ErrorCode::kNotAvailable) {
    LogWarn("the limits of a container were not lifted: another is started",
            {{"why", lifted.error().message()}});
  }
  return lifted.has_value();
}

// A TPU's memory is taken as it is asked for, and no setting caps it: what was in use was needed.
DeviceMemoryFacts AsItWasTaken(const DeviceFindings& seen, int count, const Reference& reference) {
  DeviceMemoryFacts facts;
  facts.found = seen;
  facts.found.needed_by = NeededBy::kGrowth;
  facts.need = {seen.needed, count};
  facts.reference = reference;
  return facts;
}

}  // namespace

Yardstick Story::YardstickOf(const Setup& setup, const Workload& workload) const {
  const auto longest = [](const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  };
  const MemoryNeed need = NeedOf(facts_).memory;
  return {setup,
          workload,
          facts_.reference,
          {longest(facts_.starts->seconds), longest(facts_.starts->cpu_seconds),
           std::max(facts_.row_pass->slowest_ms, facts_.load->slowest_ms),
           facts_.workers ? facts_.workers->seconds : 0,
           facts_.workers ? facts_.workers->cpu_seconds : 0,
           FirstPassOf(*facts_.warm_up, *facts_.row_pass, workload.rows_left())},
          {std::max(need.start_peak, need.serving_peak), LeastCost(),
           facts_.starts->ready.address_space}};
}

std::optional<double> Story::LeastCost() const {
  const auto of_load = facts_.load->trial.measurements.cpu_seconds_per_query;
  const auto of_search = facts_.cpu ? facts_.cpu->cpu_seconds_per_query : std::nullopt;
  if (!of_load || !of_search) return of_load ? of_load : of_search;
  return std::min(*of_load, *of_search);
}

PhaseResult<void> Story::Prove(Lab& lab, const Setup& setup, const Workload& workload,
                               const ResourceUse& ample) {
  Yardstick yardstick = YardstickOf(setup, workload);
  if (facts_.warm_up->cache) {
    Enter(shares::kSearchCpu, "measuring rows that the model has not seen");
    yardstick.workload = EachRowOnce(workload);
    yardstick.at_ceiling.cpu_seconds_per_query.reset();  // of answers from the cache
    MLPROF_LET(distinct, MeasureDistinctRows(lab, yardstick, *facts_.warm_up));
    facts_.distinct = std::move(distinct);
    yardstick.reference = facts_.distinct->reference;
    facts_.cpu = ChooseForDistinctRows(NeedOf(facts_), lab.ceiling(), yardstick.reference);
    Finish(lab, "done");
  }
  facts_.most_tasks = ample.most_tasks;
  ThreadPoolEvidence seen = SeePools(lab.subject().config, facts_.starts->ready, ample.most_tasks,
                                     *facts_.cpu, setup.cpuset, lab.machine().cores);
  seen.random_arrivals = workload.objective.requests_per_second.has_value();
  MLPROF_LET(begun, SeeHotFiles(lab, yardstick, ample.peak_mapped_file, seen));
  if (PoolsSuspected(seen) && LeavesRoomToProve(budget_, yardstick)) {
    Enter(shares::kThreadPools, "trying smaller thread pools");
    MLPROF_LET(pools, TryThreadPools(lab, yardstick, seen, *facts_.cpu, NeedOf(facts_)));
    facts_.pools = std::move(pools);
    yardstick.reference = facts_.pools->reference;
    if (facts_.pools->cpu) yardstick.setup.environment = facts_.pools->found.environment;
    Finish(lab, facts_.pools->cpu ? "a smaller size won" : "no size won");
  }
  if (auto device = SeeDeviceMemory(lab, yardstick); !device) return device;
  // It was tried without the settings that won meanwhile.
  const bool as_begun =
      yardstick.setup.environment.empty() && begun.limits() == UnprovenLimits(facts_);
  if (!as_begun) begun = {};
  KeptContainer last;
  auto verified = Verify(lab, yardstick, std::move(begun), last);
  if (verified && MayLackDeviceMemory(yardstick)) {
    LetGoOfDeviceSettings(yardstick);
    verified = Verify(lab, yardstick, {}, last);
  }
  if (!verified) {
    if (curves_wait_) facts_.curves_left_out = CurvesLeftOut{"the proof did not end", true};
    return verified;
  }
  budget_.ProofIsThrough();
  if (auto measured = MeasureWaitingCurves(lab, yardstick, std::move(last)); !measured) {
    return measured;
  }
  if (!facts_.verification->proof) return {};
  return SeeHowTight(lab, std::move(yardstick));
}

PhaseResult<ProofAttempt> Story::SeeHotFiles(Lab& lab, Yardstick& yardstick, Bytes mapped_file,
                                             const ThreadPoolEvidence& pools) {
  const auto range = RangeOfMappedFiles(NeedOf(facts_), lab.ceiling(), mapped_file);
  const bool fits =
      budget_.For(Spend::kMemorySearch) > TimeBeforeLoad(budget_, yardstick, kMemoryRuns);
  if (!range || !fits || !LeavesRoomToProve(budget_, yardstick)) return ProofAttempt();
  Enter(shares::kSearchMemory, "searching how much of its files the model needs");
  Limits limits = UnprovenLimits(facts_);
  // What pools that are too large cost under a CPU limit is another question.
  if (PoolsSuspected(pools) && SuggestPoolSizes(pools, 1)) limits.Set(lab.ceiling().cpu());
  MLPROF_LET(without, TryToProve(lab, yardstick, limits, 1));
  // What failed for CPU tells nothing of memory; the proof raises that.
  if (without.failure && without.failure->read_back.often()) {
    MLPROF_LET(hot_file, SearchMemory(lab, yardstick, NeedOf(facts_), *range));
    facts_.hot_file = hot_file;
    yardstick.reference = hot_file.reference;
    without = {};
  } else if (!without.failure) {
    facts_.hot_file = HotFileFacts{std::nullopt, yardstick.reference};
  }
  Finish(lab, "done");
  return std::move(without);
}

PhaseResult<void> Story::SeeDeviceMemory(Lab& lab, Yardstick& yardstick) {
  if (facts_.host.devices.empty() || !lab.ceiling().device_memory()) return {};
  const auto seen = SeeDevices(lab.closed(), facts_.load->began, facts_.load->ended);
  if (!seen) return {};
  if (seen->kind == DeviceKind::kTpu) {
    facts_.device = AsItWasTaken(*seen, lab.ceiling().device_memory()->count, yardstick.reference);
    return {};
  }
  Enter(shares::kDeviceMemory, "seeing how much of its device's memory the model needs");
  MLPROF_LET(device, MeasureDeviceMemory(lab, yardstick, *seen));
  facts_.device = std::move(device);
  yardstick.reference = facts_.device->reference;
  for (const auto& [name, value] : facts_.device->environment) {
    yardstick.setup.environment[name] = value;
  }
  Finish(lab, facts_.device->cut_short ? "cut short" : "done");
  return {};
}

// Of the model as it came: what its curves are measured with.
const Reference& Story::ReferenceAsItCame(const Yardstick& yardstick) const {
  const bool with_settings = facts_.device && !facts_.device->environment.empty();
  return with_settings ? facts_.device->without : yardstick.reference;
}

// What failed with less device memory may hold with what the model reserves by itself; no limit of
// the container's mends it.
bool Story::MayLackDeviceMemory(const Yardstick& yardstick) const {
  return !facts_.verification->proof && !facts_.verification->held && facts_.device &&
         !facts_.device->environment.empty() && LeavesRoomToProve(budget_, yardstick);
}

void Story::LetGoOfDeviceSettings(Yardstick& yardstick) {
  DeviceMemoryFacts& device = *facts_.device;
  for (const auto& [name, value] : device.environment) yardstick.setup.environment.erase(name);
  device.environment.clear();
  device.slower.reset();
  yardstick.reference = device.reference = device.without;
  device.found.needed = device.found.reserved;
  device.found.needed_by = NeededBy::kAsItIs;
  device.need.each = device.found.needed;
  device.refuted = true;
}

PhaseResult<void> Story::Verify(Lab& lab, Yardstick& yardstick, ProofAttempt begun,
                                KeptContainer& last) {
  Enter(shares::kVerify, "verifying the answer in fresh containers");
  const auto tell = [&](const Verification& so_far) {
    facts_.verification = so_far;
    Save(lab);
  };
  facts_.verification =
      phases::Verify(lab, yardstick, UnprovenLimits(facts_), tell, std::move(begun), &last);
  KeepToDistinctRows(yardstick.workload, *facts_.verification);
  const Verification& verification = *facts_.verification;
  if (verification.end) return tl::unexpected<RunEnd>(*verification.end);
  const char* unproven = NoAnswerOf(facts_) ? "no limit holds the objective" : "not verified";
  Finish(lab, verification.proof ? "verified" : unproven);
  yardstick.reference = verification.reference;
  return {};
}

PhaseResult<void> Story::Warm(Lab& lab, Ample& ample, const Yardstick& yardstick) {
  if (auto renewed = ample.Renew(); !renewed) return renewed;
  Container& container = ample.container();
  const auto replay = [&](const ReplayPlan& plan, std::chrono::nanoseconds time,
                          ReplayResult& result) {
    const auto longest = LongestReplay(yardstick.pace, time, container.limits().cpu());
    result = container.Replay(plan, budget_.AtMost(longest));
    return !result.target_lost && !result.cut_off && !result.stopped;
  };
  const auto warm_up = WarmUpAtLimits(lab, yardstick, container, replay);
  if (!warm_up || !warm_up->survived) {
    return FailRun({"ModelCrashed", "the model did not serve in another container", {}, ""});
  }
  if (!facts_.workers) return {};
  const auto workers = ReachAtCeiling(lab, container, yardstick.workload);
  return workers ? PhaseResult<void>() : tl::unexpected<RunEnd>(workers.error());
}

// A heap, or a pool of threads, that was sized by the limits at the start would be another one
// there, and files that were given up for want of memory would be read again; settings that won are
// the answer's, while the curves are of the model as it came; and heavy rows that met before the
// load would hide what a row more in flight takes.
bool Story::ServesAsAmple(const Container& last, const Yardstick& yardstick) const {
  const LimitedRun& run = facts_.verification->proof->passes.back();
  const bool as_it_came = !facts_.verification->heap && yardstick.setup.environment.empty() &&
                          facts_.most_tasks > 0 && run.use.most_tasks >= facts_.most_tasks;
  return as_it_came && !run.read_back.often() && last.IsSound() &&
         yardstick.workload.objective.ConcurrencyOrOne() == 1;
}

PhaseResult<void> Story::MeasureWaitingCurves(Lab& lab, const Yardstick& yardstick,
                                              KeptContainer last) {
  if (!curves_wait_) return {};
  bool serves = last.get() != nullptr && ServesAsAmple(*last.get(), yardstick);
  const auto before = serves ? std::chrono::nanoseconds{0} : TimeBeforeLoad(budget_, yardstick);
  const auto needed = before + budget_.For(Spend::kCpuCurve) + budget_.For(Spend::kLoadCurve);
  if (budget_.Left() < needed) {
    facts_.curves_left_out = CurvesLeftOut{"the budget went into the proof", true};
    return {};
  }
  Enter(shares::kWaitingCurves, "measuring other limits, and more rows in flight");
  serves = serves && Lift(*last.get());
  if (!serves) last.Close();
  const auto measured =
      serves ? MeasureCurvesIn(lab, *last.get(), yardstick) : MeasureCurvesApart(lab, yardstick);
  last.Close();
  if (lab.stopped()) return Canceled();
  // What ends a container that was only to show more takes nothing from what was found.
  if (!measured) {
    const auto& error = measured.error().error;
    const bool for_budget = measured.error().state == ProfileState::kTimedOut;
    facts_.curves_left_out =
        CurvesLeftOut{error ? error->message : "the container for them ended", for_budget};
  }
  Finish(lab, measured ? "done" : "cut short");
  return {};
}

PhaseResult<void> Story::MeasureCurvesApart(Lab& lab, const Yardstick& yardstick) {
  // As the search's own points were: without what a thread pool's size won.
  Yardstick at_ceiling = yardstick;
  at_ceiling.setup.environment.clear();
  Ample ample(lab, at_ceiling.setup);
  auto measured = Warm(lab, ample, at_ceiling);
  if (measured) measured = MeasureCurvesIn(lab, ample.container(), yardstick);
  ample.Close();
  return measured;
}

// Beside what verification saw last of the host, which may have changed since the search.
PhaseResult<void> Story::MeasureCurvesIn(Lab& lab, Container& container,
                                         const Yardstick& yardstick) {
  const auto filled = FillCurve(lab, container, yardstick.workload, ReferenceAsItCame(yardstick));
  return filled ? LoadMore(lab, container, yardstick.workload) : filled;
}

PhaseResult<void> Story::SeeHowTight(Lab& lab, Yardstick yardstick) {
  Enter(shares::kTightness, "trying one step lower");
  const auto tell = [&](const Tightness& so_far) {
    facts_.tightness = so_far;
    Save(lab);
  };
  facts_.tightness = TestTightness(lab, yardstick, *facts_.verification, tell);
  if (facts_.tightness->canceled) return tl::unexpected<RunEnd>(*facts_.tightness->canceled);
  Finish(lab, facts_.tightness->cut_short ? "cut short" : "done");

  // Nothing is tried any more that could lower the limits, and nothing is taken from it.
  const Proof& proof = facts_.tightness->proof;
  ProvenLoad proven = LoadOf(proof, facts_.objective);
  // Nothing is claimed there that more requests would prove.
  proven.requests = MayBoundKills(facts_) ? RequestsAtAnswer(facts_, proof) : kRequestsForMemory;
  yardstick.reference = facts_.tightness->reference;
  const bool known = facts_.tightness->tight().has_value() && !facts_.distinct;
  if (known && CanMeasureSustainedLoad(lab, yardstick, facts_.replay, proven)) {
    Enter(shares::kSustainedLoad, "seeing how much more load the answer holds");
    facts_.sustained = MeasureSustainedLoad(lab, yardstick, proof.limits, *facts_.replay, proven);
    if (lab.stopped()) return Canceled();
    Finish(lab, "done");
    // It takes the proof back: there is no answer to trim or to soak.
    if (facts_.sustained->unsteady) return {};
  }
  if (auto tried = TryArenas(lab, yardstick); !tried) return tried;
  return SoakAt(lab, yardstick, proof.limits);
}

PhaseResult<void> Story::TryArenas(Lab& lab, const Yardstick& yardstick) {
  // What a heap or a leak takes differs from container to container by itself.
  const bool steady = !facts_.verification->heap && facts_.plateau && !Grows(facts_);
  const bool suspected = steady && ArenasSuspected(ArenaEvidenceOf(facts_, lab.subject().config));
  if (!suspected || !CanTryArenas(lab, yardstick)) return {};
  Enter(shares::kArenas, "trying fewer arenas of malloc");
  facts_.arenas = TryFewerArenas(lab, yardstick, facts_.tightness->proof);
  if (lab.stopped()) return Canceled();
  Finish(lab, "done");
  return {};
}

PhaseResult<void> Story::SoakAt(Lab& lab, const Yardstick& yardstick, const Limits& answer) {
  const std::chrono::seconds asked = profile_.request.soak;
  if (asked.count() == 0) return {};
  // Rows that were seen are answered from memory: they would soak nothing.
  if (yardstick.workload.each_row_once) return {};
  double start = 0;
  for (const LimitedRun& run : facts_.tightness->proof.passes) {
    start = std::max(start, run.trial.measurements.start_seconds.value_or(0));
  }
  const auto before = TimeBeforeLoad(budget_, yardstick) +
                      std::chrono::milliseconds(static_cast<std::int64_t>(start * 1000));
  budget_.Extend(asked + before + kSoakSlack);
  if (budget_.Left() <= before) return {};
  Enter(shares::kSoak, "soaking at the answer");
  MLPROF_LET(soak, Soak(lab, yardstick, answer, asked));
  facts_.soak = soak;
  SeeGrowth(soak);
  Finish(lab, soak.failed ? "failed" : soak.whole ? "held" : "cut short");
  return {};
}

// What the soak saw of memory stands where it grows, and where what grew before has come to its
// end: the same growth would have shown in more requests.
void Story::SeeGrowth(const SoakFacts& soak) {
  if (!facts_.plateau) return;
  const bool ended = Grows(facts_) && soak.memory.trend == MemoryTrend::kFlat &&
                     soak.memory.settled && soak.requests > facts_.plateau->requests;
  if (soak.memory.trend != MemoryTrend::kGrowing && !ended) return;
  facts_.plateau->trend = soak.memory.trend;
  facts_.plateau->requests = soak.requests;
  facts_.plateau->bytes_per_request = soak.memory.bytes_per_request;
  facts_.plateau->steady_confidence = soak.memory.steady_confidence;
  if (soak.memory.level) facts_.plateau->serving_low = soak.memory.level;
}

}  // namespace mlprof::server
