#include "server/profiling/run/profile_run.h"

#include <utility>

#include "server/analysis/row_order.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/preflight.h"
#include "server/profiling/phases/prepare.h"
#include "server/profiling/progress/phase_tracker.h"
#include "server/profiling/run/answer.h"
#include "server/profiling/run/inputs.h"
#include "server/profiling/run/no_answer.h"
#include "server/profiling/run/run_facts.h"
#include "server/registry/artifact_store.h"

namespace mlprof::server {
namespace {

using namespace phases;  // NOLINT(google-build-using-namespace): this file is their story

// A search of fewer runs tells nothing: one that fails, and one that holds.
constexpr int kMemoryRuns = 2;
// Beside the load of a soak and what comes before it: the last rows' responses, a slower start.
constexpr std::chrono::seconds kSoakSlack{10};

// The phases in their order. Each takes values and gives one, which is kept in the facts; what the
// profile says is rendered from the facts at the end of every phase.
class Story {
 public:
  Story(const RunServices& services, Profile& profile, Journal& journal, Announcer& announcer,
        RunStop& run_stop)
      : services_(services),
        profile_(profile),
        journal_(journal),
        announcer_(announcer),
        run_stop_(run_stop),
        tracker_(profile, journal, announcer),
        given_(profile.warnings),
        budget_(services.clock, profile.request.budget,
                profile.request.budget_given ? BudgetEnd::kHard : BudgetEnd::kAfterStarts) {}

  RunEnd Tell() {
    const auto told = TellAll();
    if (told && !run_stop_.token().stop_requested()) {
      Show();
      return {ProfileState::kSucceeded, std::nullopt};
    }
    return Conclude(told ? RunEnd{ProfileState::kCanceled, std::nullopt} : told.error());
  }

 private:
  PhaseResult<void> TellAll() {
    MLPROF_LET(rows, OpenRows(services_, profile_, run_stop_));
    MLPROF_LET(host, TakeHost(services_, profile_.request.ceiling, run_stop_));
    profile_.request.ceiling = {host.ceiling.cpu(), host.ceiling.memory()};
    profile_.host = host.host;
    facts_.objective = profile_.request.objective;
    facts_.rows = rows->count();
    facts_.host = host;
    MLPROF_LET(subject, PrepareSubject(host));
    HostWatch watch;
    Lab lab({services_.runtime, *rows, budget_, watch, journal_, announcer_, tracker_, run_stop_,
             began_, services_.instruments},
            std::move(subject));
    const auto told = TellIn(lab, {host.cpuset, {}, {}});
    See(lab);
    KeepLogs(lab);
    return told;
  }

  PhaseResult<Subject> PrepareSubject(const HostChoice& host) {
    const ProfileRequest& request = profile_.request;
    MLPROF_LET(inputs, PlaceInputs(services_, profile_, run_stop_));
    Enter(shares::kPrepare, "preparing the image");
    MLPROF_LET(image, Prepare(services_.runtime, {*request.inference_config, inputs.source},
                              journal_, announcer_, run_stop_));
    facts_.image = image.warnings;
    Finish("done");
    return Subject{profile_.id,
                   *request.inference_config,
                   std::move(image),
                   inputs.inputs,
                   inputs.model_directory,
                   host.ceiling,
                   host.host,
                   host.most_memory,
                   request.seed,
                   services_.keep_root_read_only};
  }

  PhaseResult<void> TellIn(Lab& lab, const Setup& setup) {
    Workload workload{facts_.objective, profile_.request.seed, facts_.rows, {}};
    Enter(shares::kPreflight, "checking the host and the replay itself");
    MLPROF_LET(replay, Preflight(lab, setup, workload, profile_.request.when_quiet));
    facts_.replay = replay;
    Finish(lab, "done");

    Ample ample(lab, setup);
    auto measured = MeasureAtCeiling(lab, ample, workload);
    See(ample);
    SeeGrowth(ample, measured);
    ample.Close();
    See(lab);
    if (!measured) return tl::unexpected<RunEnd>(measured.error());
    facts_.successors = SuccessorsOf(facts_);
    if (facts_.successors > Bytes()) workload.least_memory = NeedOf(facts_).memory.Floor();
    return Prove(lab, ample.setup(), workload, *measured);
  }

  // All that is measured in one container at the ceiling. Gives what it used at most under the
  // objective's load.
  PhaseResult<ResourceUse> MeasureAtCeiling(Lab& lab, Ample& ample, Workload& workload) {
    Enter(shares::kColdStarts, "starting the model");
    MLPROF_LET(starts, ColdStarts(lab, ample));
    facts_.starts = std::move(starts);
    facts_.starts->least_cpu = LeastCpuToStart(
        *facts_.starts, facts_.objective, lab.subject().config.start_timeout, lab.ceiling().cpu());
    See(ample);
    Finish(lab, "done");

    Enter(shares::kWarmUp, "warming up");
    MLPROF_LET(warm_up, WarmUp(lab, ample, workload));
    facts_.warm_up = std::move(warm_up);
    workload.left_out = ample.left_out();
    See(ample);
    Finish(lab, facts_.warm_up->steady ? "done" : "not steady");

    Enter(shares::kRows, "replaying every row");
    MLPROF_LET(row_pass, ReplayRows(lab, ample, workload, *facts_.warm_up));
    facts_.row_pass = std::move(row_pass);
    workload.left_out = ample.left_out();
    See(ample);
    workload.heavy = facts_.row_pass->heavy;
    workload.distinct_rows = facts_.row_pass->distinct;
    workload.cpu_seconds_per_query = facts_.row_pass->cpu_seconds_per_query;
    workload.by_latency = RowsByLatency(VisitsOf(facts_.row_pass->serial));
    workload.grows_with_inputs = facts_.row_pass->growth.has_value();
    Finish(lab, "done");
    return MeasureUnderLoad(lab, ample, workload);
  }

  // How connections are made is known only now: whether more than one process serves decides it.
  void Resolve(Workload& workload) {
    if (!workload.objective.connections) {
      workload.objective.connections = ConnectionsFor(facts_.workers);
    }
    facts_.objective = workload.objective;
    profile_.request.objective = workload.objective;
  }

  PhaseResult<ResourceUse> MeasureUnderLoad(Lab& lab, Ample& ample, Workload& workload) {
    Enter(shares::kLoad, "measuring under the objective's load");
    MLPROF_LET(workers, ReachAtCeiling(lab, ample.container(), workload));
    facts_.workers = workers;
    if (workers) workload.workers = workers->coverage.count;
    Resolve(workload);
    MLPROF_LET(load, MeasureLoad(lab, ample.container(), workload, facts_.row_pass->serial));
    facts_.load = std::move(load);
    See(*facts_.load, workload);
    facts_.load->reference = LookAtFresh(lab, ample.container(), workload, facts_.load->reference);
    Finish(lab, "done");

    Enter(shares::kPlateau, "waiting for memory to settle");
    MLPROF_LET(plateau, WatchMemory(lab, ample.container(), workload));
    facts_.plateau = plateau;
    Finish(lab, plateau.settled ? "settled" : "not settled");
    const ResourceUse use = Summarize(ample.container().Samples());
    if (facts_.warm_up->cache) {
      // Every row was seen here: what limits and more load do to it is of the cache alone.
      const Reference& reference = facts_.load->reference;
      facts_.cpu = ChooseForDistinctRows(NeedOf(facts_), lab.ceiling(), reference);
      facts_.curve.emplace().reference = reference;
      return use;
    }
    if (plateau.outgrows && MayRenew()) {
      if (auto renewed = Renew(lab, ample, workload); !renewed) {
        return tl::unexpected<RunEnd>(renewed.error());
      }
    }
    return SearchUnderLoad(lab, ample.container(), workload, use);
  }

  // A fresh container that serves as the one before it did: its rows were visited, and all of its
  // workers.
  PhaseResult<void> Renew(Lab& lab, Ample& ample, const Workload& workload) {
    if (auto renewed = ample.Renew(); !renewed) return renewed;
    const auto warm = WarmUp(lab, ample, workload);
    if (!warm) return tl::unexpected<RunEnd>(warm.error());
    if (!facts_.workers) return {};
    const auto workers = ReachAtCeiling(lab, ample.container(), workload);
    return workers ? PhaseResult<void>() : tl::unexpected<RunEnd>(workers.error());
  }

  // A start that is not added to the budget must leave the search its share.
  bool MayRenew() const {
    const double start =
        *std::max_element(facts_.starts->seconds.begin(), facts_.starts->seconds.end());
    const auto took = std::chrono::nanoseconds(static_cast<std::int64_t>(start * 1e9));
    return budget_.ChargeOf(took) < budget_.For(Spend::kCpuSearch);
  }

  PhaseResult<ResourceUse> SearchUnderLoad(Lab& lab, Container& container, Workload& workload,
                                           const ResourceUse& use) {
    Enter(shares::kSearchCpu, "searching the CPU limit");
    MLPROF_LET(cpu, SearchCpu(lab, container, workload, *facts_.load, NeedOf(facts_)));
    facts_.cpu = std::move(cpu);
    See(*facts_.cpu, workload);
    Finish(lab, "done");

    Enter(shares::kLoadCurve, "measuring with more rows in flight");
    MLPROF_LET(curve,
               MeasureLoadCurve(lab, container, workload, facts_.cpu->reference,
                                std::max(facts_.row_pass->slowest_ms, facts_.load->slowest_ms),
                                facts_.replay));
    facts_.curve = std::move(curve);
    Finish(lab, "done");
    return use;
  }

  Yardstick YardstickOf(const Setup& setup, const Workload& workload) const {
    const auto longest = [](const std::vector<double>& values) {
      return *std::max_element(values.begin(), values.end());
    };
    return {setup,
            workload,
            facts_.curve->reference,
            {longest(facts_.starts->seconds), longest(facts_.starts->cpu_seconds),
             std::max(facts_.row_pass->slowest_ms, facts_.load->slowest_ms),
             facts_.workers ? facts_.workers->seconds : 0,
             facts_.workers ? facts_.workers->cpu_seconds : 0,
             FirstPassOf(*facts_.warm_up, *facts_.row_pass, workload.rows_left())}};
  }

  // A model that grew into the ceiling died of that, whatever was asked of it at the time. (The
  // load curve ends no run: more rows in flight each time take more memory without any leak.)
  void SeeGrowth(const Ample& ample, PhaseResult<ResourceUse>& measured) {
    if (measured || !measured.error().error) return;
    ProfileError& error = *measured.error().error;
    if (error.code != "OutOfMemory") return;
    facts_.fatal_growth = ample.FindGrowth();
    if (!facts_.fatal_growth) return;
    error = DiagnoseGrowth(*facts_.fatal_growth, static_cast<std::int64_t>(facts_.rows),
                           error.evidence);
  }

  // The answer, proven in containers of its own.
  PhaseResult<void> Prove(Lab& lab, const Setup& setup, const Workload& workload,
                          const ResourceUse& ample) {
    Yardstick yardstick = YardstickOf(setup, workload);
    if (facts_.warm_up->cache) {
      Enter(shares::kSearchCpu, "measuring rows that the model has not seen");
      yardstick.workload = EachRowOnce(workload);
      MLPROF_LET(distinct, MeasureDistinctRows(lab, yardstick, *facts_.warm_up));
      facts_.distinct = std::move(distinct);
      yardstick.reference = facts_.distinct->reference;
      facts_.cpu = ChooseForDistinctRows(NeedOf(facts_), lab.ceiling(), yardstick.reference);
      Finish(lab, "done");
    }
    const auto range = RangeOfMappedFiles(NeedOf(facts_), lab.ceiling(), ample.peak_mapped_file);
    const bool fits =
        budget_.For(Spend::kMemorySearch) > TimeBeforeLoad(budget_, yardstick, kMemoryRuns);
    if (range && fits && LeavesRoomToProve(budget_, yardstick)) {
      Enter(shares::kSearchMemory, "searching how much of its files the model needs");
      MLPROF_LET(hot_file, SearchMemory(lab, yardstick, NeedOf(facts_), *range));
      facts_.hot_file = hot_file;
      yardstick.reference = hot_file.reference;
      Finish(lab, "done");
    }
    const ThreadPoolEvidence seen =
        SeePools(lab.subject().config, facts_.starts->ready, ample.most_tasks, *facts_.cpu,
                 setup.cpuset, lab.machine().cores);
    if (PoolsSuspected(seen) && LeavesRoomToProve(budget_, yardstick)) {
      Enter(shares::kThreadPools, "trying smaller thread pools");
      MLPROF_LET(pools, TryThreadPools(lab, yardstick, seen, *facts_.cpu, NeedOf(facts_)));
      facts_.pools = std::move(pools);
      yardstick.reference = facts_.pools->reference;
      if (facts_.pools->cpu) yardstick.setup.environment = facts_.pools->found.environment;
      Finish(lab, facts_.pools->cpu ? "a smaller size won" : "no size won");
    }
    return Verify(lab, std::move(yardstick));
  }

  PhaseResult<void> Verify(Lab& lab, Yardstick yardstick) {
    Enter(shares::kVerify, "verifying the answer in fresh containers");
    const auto tell = [&](const Verification& so_far) {
      facts_.verification = so_far;
      Save(lab);
    };
    facts_.verification = phases::Verify(lab, yardstick, UnprovenLimits(facts_), tell);
    KeepToDistinctRows(yardstick.workload, *facts_.verification);
    const Verification& verification = *facts_.verification;
    if (verification.end) return tl::unexpected<RunEnd>(*verification.end);
    const char* unproven = NoAnswerOf(facts_) ? "no limit holds the objective" : "not verified";
    Finish(lab, verification.proof ? "verified" : unproven);
    if (!verification.proof) return {};
    yardstick.reference = verification.reference;
    return SeeHowTight(lab, std::move(yardstick));
  }

  PhaseResult<void> SeeHowTight(Lab& lab, Yardstick yardstick) {
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
    const ProvenLoad proven = LoadOf(proof, facts_.objective);
    yardstick.reference = facts_.tightness->reference;
    const bool known = facts_.tightness->tight.has_value() && !facts_.distinct;
    if (known && CanMeasureSustainedLoad(lab, yardstick, facts_.replay, proven)) {
      Enter(shares::kSustainedLoad, "seeing how much more load the answer holds");
      facts_.sustained = MeasureSustainedLoad(lab, yardstick, proof.limits, *facts_.replay, proven);
      if (lab.stopped()) return Canceled();
      Finish(lab, "done");
    }
    return SoakAt(lab, yardstick, proof.limits);
  }

  PhaseResult<void> SoakAt(Lab& lab, const Yardstick& yardstick, const Limits& answer) {
    const std::chrono::seconds asked = profile_.request.soak;
    if (asked.count() == 0) return {};
    facts_.soak_asked = asked;
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

  // What grows only over hours is a leak all the same.
  void SeeGrowth(const SoakFacts& soak) {
    if (!facts_.plateau || soak.memory.trend != MemoryTrend::kGrowing) return;
    facts_.plateau->trend = MemoryTrend::kGrowing;
    facts_.plateau->requests = soak.requests;
    facts_.plateau->bytes_per_request = soak.memory.bytes_per_request;
    facts_.plateau->steady_confidence = soak.memory.steady_confidence;
    if (soak.memory.level) facts_.plateau->serving_low = soak.memory.level;
  }

  // A run that ends without a verdict is told again from its beginning.
  void KeepLogs(const Lab& lab) {
    const auto stopped = run_stop_.reason();
    if (lab.logs().empty() || (stopped && *stopped != StopReason::kUser)) return;
    static_cast<void>(
        journal_.Keep({"log", "containers.log", "text/plain; charset=utf-8", lab.logs().Text()}));
  }

  void Enter(const PhaseShare& phase, const std::string& message) {
    tracker_.Enter(phase, message);
  }
  void Finish(const std::string& outcome) {
    Show();
    tracker_.Finish(outcome);
  }
  void Finish(const Lab& lab, const std::string& outcome) {
    See(lab);
    Finish(outcome);
  }
  void Save(const Lab& lab) {
    See(lab);
    Show();
    journal_.Save(profile_);
  }
  void See(const Ample& ample) {
    facts_.kills = ample.kills();
    facts_.given = ample.setup().given;
  }
  void See(const LoadFacts& load, Workload& workload) {
    facts_.in_flight = workload.in_flight = load.in_flight.value_or(1);
  }
  // Requests stay longer at the limit that was found, and so more of them meet.
  void See(const CpuChoice& choice, Workload& workload) {
    for (const CpuPoint& point : choice.curve.points) {
      if (point.cpu != choice.cpu || !point.passed) continue;
      const int there = InFlightOf(workload.objective, point.mean_ms);
      facts_.in_flight = workload.in_flight = std::max(workload.in_flight, there);
    }
  }
  void See(const Lab& lab) {
    facts_.host.host = lab.machine();
    profile_.host = lab.machine();
    facts_.noise = lab.host().noise();
    facts_.containers = lab.closed();
  }
  void Show() { Render(facts_, given_, profile_); }

  RunEnd Conclude(const RunEnd& end) {
    if (run_stop_.token().stop_requested()) {
      Show();
      return {ProfileState::kCanceled, std::nullopt};
    }
    const bool timed_out = end.state == ProfileState::kTimedOut;
    const bool answered = AnswerOf(facts_).has_value();
    if (timed_out && answered) {
      facts_.cut_short = end.error ? end.error->message : "no time was left";
    }
    Show();
    if (timed_out && answered) return {ProfileState::kSucceeded, std::nullopt};
    // What was thought of a model before it failed is no answer.
    if (end.state == ProfileState::kFailed) {
      profile_.recommendation.reset();
      profile_.no_answer.reset();
    }
    return end;
  }

  const RunServices& services_;
  Profile& profile_;
  Journal& journal_;
  Announcer& announcer_;
  RunStop& run_stop_;
  PhaseTracker tracker_;
  const std::vector<Warning> given_;
  Budget budget_;
  const std::chrono::nanoseconds began_ = services_.clock.Now();
  RunFacts facts_;
};

}  // namespace

RunEnd RunProfile(const RunServices& services, Profile& profile, Journal& journal,
                  Announcer& announcer, RunStop& run_stop) {
  return Story(services, profile, journal, announcer, run_stop).Tell();
}

}  // namespace mlprof::server
