// One run from its inputs to its answer: the phases in their order. Each takes values and gives
// one, which is kept in the facts; what the profile says is rendered from the facts at the end of
// every phase. Used by the thread that runs the profile.
#pragma once

#include <string>
#include <vector>

#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/ample.h"
#include "server/profiling/progress/phase_tracker.h"
#include "server/profiling/run/inputs.h"
#include "server/profiling/run/profile_run.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

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

  RunEnd Tell();

 private:
  PhaseResult<void> TellAll();
  PhaseResult<Subject> PrepareSubject(const HostChoice& host);
  PhaseResult<void> TellIn(Lab& lab, const Setup& setup);
  // A run that ends without a verdict is told again from its beginning.
  void KeepLogs(const Lab& lab);
  void Enter(const PhaseShare& phase, const std::string& message);
  void Finish(const std::string& outcome);
  void Finish(const Lab& lab, const std::string& outcome);
  void Save(const Lab& lab);
  void See(const phases::Ample& ample);
  void See(const Lab& lab);
  void Show();
  RunEnd Conclude(const RunEnd& end);

  // at_ceiling.cc

  // All that is measured in one container at the ceiling. Gives what it used at most under the
  // objective's load.
  PhaseResult<ResourceUse> MeasureAtCeiling(Lab& lab, phases::Ample& ample, Workload& workload);
  // How connections are made is known only now: whether more than one process serves decides it.
  void Resolve(Workload& workload);
  PhaseResult<ResourceUse> MeasureUnderLoad(Lab& lab, phases::Ample& ample, Workload& workload);
  // A fresh container that serves as the one before it did: its rows were visited, and all of its
  // workers.
  PhaseResult<void> Renew(Lab& lab, phases::Ample& ample, const Workload& workload);
  // A start that is not added to the budget must leave the search its share.
  bool MayRenew() const;
  PhaseResult<void> SearchUnderLoad(Lab& lab, Container& container, Workload& workload);
  // The curves tell what-if, and nothing of the proof. They come behind it where nothing else asks
  // for them, and another start, which they may need there, is quick.
  bool CurvesMayWait(const Workload& workload) const;
  PhaseResult<void> FillCurve(Lab& lab, Container& container, const Workload& workload,
                              const phases::Reference& reference);
  PhaseResult<void> LoadMore(Lab& lab, Container& container, const Workload& workload);
  // A model that scales over cores gets as many as pay, whatever the host has: the load is measured
  // and the limit searched again with no more than these.
  PhaseResult<void> KeepToKnee(Lab& lab, Container& container, Workload& workload);
  // The budget holds a second load and search.
  bool MayLoadAgain() const;
  // A model that grew into the ceiling died of that, whatever was asked of it at the time. (The
  // load curve ends no run: more rows in flight each time take more memory without any leak.)
  void SeeGrowth(const phases::Ample& ample, PhaseResult<ResourceUse>& measured);
  void See(const phases::LoadFacts& load, Workload& workload);
  // Requests stay longer at the limit that was found, and so more of them meet.
  void See(const phases::CpuChoice& choice, Workload& workload);

  // proving.cc

  // CPU seconds of a request with all memory, at the objective's load.
  std::optional<double> LeastCost() const;
  phases::Yardstick YardstickOf(const Setup& setup, const Workload& workload) const;
  // The answer, proven in containers of its own.
  PhaseResult<void> Prove(Lab& lab, const Setup& setup, const Workload& workload,
                          const ResourceUse& ample);
  // The first container of the proof, where more files are mapped than the margin holds; nothing
  // where it shows that they are needed, and how much of them was searched.
  PhaseResult<phases::ProofAttempt> SeeHotFiles(Lab& lab, phases::Yardstick& yardstick,
                                                Bytes mapped_file, const ThreadPoolEvidence& pools);
  // What the model needs of its devices' memory, where it has some.
  PhaseResult<void> SeeDeviceMemory(Lab& lab, phases::Yardstick& yardstick);
  bool MayLackDeviceMemory(const phases::Yardstick& yardstick) const;
  const phases::Reference& ReferenceAsItCame(const phases::Yardstick& yardstick) const;
  void LetGoOfDeviceSettings(phases::Yardstick& yardstick);
  // `last`: as phases::Verify.
  PhaseResult<void> Verify(Lab& lab, phases::Yardstick& yardstick, phases::ProofAttempt begun,
                           phases::KeptContainer& last);
  // A fresh container at the ceiling, warmed up as those at limits are.
  PhaseResult<void> Warm(Lab& lab, phases::Ample& ample, const phases::Yardstick& yardstick);
  // Whether the last container of a proof, given all there is, is what one would be that was
  // started with it.
  bool ServesAsAmple(const Container& last, const phases::Yardstick& yardstick) const;
  // In the last container of the proof where that serves, else in another, where the budget holds
  // it.
  PhaseResult<void> MeasureWaitingCurves(Lab& lab, const phases::Yardstick& yardstick,
                                         phases::KeptContainer last);
  PhaseResult<void> MeasureCurvesApart(Lab& lab, const phases::Yardstick& yardstick);
  PhaseResult<void> MeasureCurvesIn(Lab& lab, Container& container,
                                    const phases::Yardstick& yardstick);
  PhaseResult<void> SeeHowTight(Lab& lab, phases::Yardstick yardstick);
  // What fewer arenas of malloc would save, where they are suspected and the budget holds it.
  PhaseResult<void> TryArenas(Lab& lab, const phases::Yardstick& yardstick);
  PhaseResult<void> SoakAt(Lab& lab, const phases::Yardstick& yardstick, const Limits& answer);
  // capturing.cc

  // Device traces of the model, where its config names a profiler server. What they take is counted
  // nowhere, and what goes wrong with them fails nothing.
  PhaseResult<void> Capture(Lab& lab, const Setup& setup, const Workload& workload);
  phases::CaptureFacts TakeCaptures(Lab& lab, const phases::Yardstick& yardstick, int port);
  // The answer's CPU, and all memory: what the profiler itself holds is no need of the model's.
  Limits LimitsToCapture(const Lab& lab) const;

  // proving.cc: what grows only over hours is a leak all the same.
  void SeeGrowth(const phases::SoakFacts& soak);

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
  bool curves_wait_ = false;
};

}  // namespace mlprof::server
