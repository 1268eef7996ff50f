// Fresh containers at the same limits, one after the other, until enough held or one did not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/profiling/phases/limited_run.h"

namespace mlprof::server::phases {

/// Fresh containers that must pass.
inline constexpr int kContainers = 3;
/// Less than this cannot hold a start and a replay.
inline constexpr std::chrono::seconds kLeastTime{5};

struct ProofAttempt {
  std::vector<LimitedRun> passes;
  std::optional<LimitedRun> failure;  // absent: all passed
  /// Of the container that fewest were reached in.
  std::optional<WorkerCoverage> workers = {};
  /// A container was left out for what may have been chance; a second one counts.
  bool tried_again = false;
  /// The last of kContainers that passed, still there.
  KeptContainer last = {};

  /// Of its runs; nullopt where there is none.
  std::optional<Limits> limits() const;
  /// The most that one of them did not pay for (LimitedRun::files_of_others).
  Bytes FilesOfOthers() const;
  /// Why the passes prove nothing, where they do not.
  std::optional<std::string> Lacks() const;
};

/// Runs at `limits` until so many containers passed, those of `attempt` counted, or one did not.
/// The yardstick's reference gets the looks of the runs.
PhaseResult<ProofAttempt> TryToProve(Lab& lab, Yardstick& yardstick, const Limits& limits,
                                     int containers = kContainers, ProofAttempt attempt = {});

/// Whether a run was slow, and short of memory for a few pages a request that it read back. Those
/// do not make a model slow by themselves, and a slower minute of the host may have.
bool IsSlowWithFewPages(const LimitedRun& run);

/// Whether a run was slow on a host that was busy with something else; not where it filled
/// its limit and read pages of files back all the time.
bool IsDisturbed(const LimitedRun& run);

/// How long one of `containers` runs may take, with what is left of the budget.
LimitedRunPlan ProofPlan(const Budget& budget, const Yardstick& yardstick, const Limits& limits,
                         TrialPurpose purpose, int containers);

/// One more container at the limits of `run`, but with so much memory. The yardstick's reference
/// gets its looks.
PhaseResult<LimitedRun> RunWithMemory(Lab& lab, Yardstick& yardstick, const LimitedRun& run,
                                      Bytes memory);

}  // namespace mlprof::server::phases
