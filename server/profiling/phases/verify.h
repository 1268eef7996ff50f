// Phase "verify": three fresh containers at exactly the answer, swap off, must hold the objective.
// What falls short is raised and proven anew.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "server/analysis/heap.h"
#include "server/analysis/memory_for_cpu.h"
#include "server/analysis/recommend.h"
#include "server/profiling/phases/cpu_step.h"
#include "server/profiling/phases/proof_attempt.h"

namespace mlprof::server::phases {

/// The limits that passed, with their runs.
struct Proof {
  Limits limits;
  std::vector<LimitedRun> passes;
};

/// The most memory that its containers used, over their whole lives.
std::optional<Bytes> PeakOf(const Proof& proof);

/// Whether rows that fail at limits alone, and nothing says why, are served with all memory
/// (unexplained_errors.h).
struct AskedOfErrors {
  Cores cpu;                      // the last time
  std::optional<bool> by_memory;  // nullopt: they came too late to tell
  int times = 0;
};

struct Verification {
  Limits limits;                  // the last word: proven, or not known to fail
  std::vector<FailedTry> failed;  // what was tried and did not hold
  /// What held and left no room, so that it may not become the answer.
  std::vector<Amount> held_barely = {};
  /// Of those, where requests may have paid for memory with CPU (LimitedRun::collecting_cost).
  std::vector<CostAt> paid = {};
  std::optional<Proof> proof;  // absent: neither the budget nor the ceiling allowed one
  std::string why_not;         // there is none
  /// In the last container of the proof.
  std::optional<CpuStep> cpu_step = {};
  bool held = false;  // all containers did, and did not prove it (LimitedRun::lacks)
  /// So much more memory the answer needs where the model pays for all of its files itself.
  Bytes files_of_others = {};
  /// The nearest of two runs that missed the objective where no more of any limit was to be had or
  /// would have helped, on a quiet host.
  std::optional<Trial> not_held;
  /// Where the model takes what its limit lets it take: at the limits, and with all memory, or the
  /// most that was tried.
  std::optional<HeapByLimit> heap = {};
  bool heap_seen = false;  // whether it does was looked at
  std::optional<AskedOfErrors> errors_asked = {};
  /// So much memory made the requests of a heap that may collect no cheaper than half of it, which
  /// held.
  Bytes no_cheaper_with = {};
  /// LimitedRun::cost_of_ceiling with the most memory that held with this CPU. Beside what passed
  /// last each step less could be a little dearer.
  std::optional<double> cost_with_more = {};
  /// Less memory than the limits', tried before them: once, whatever comes of it.
  std::optional<Bytes> step_tried = {};
  /// It held, and may not become the answer: it left no room, or requests paid for it with CPU.
  bool step_held = false;
  bool finished = false;  // rather than still trying, or ended by the run's end
  Reference reference;    // with the looks so far
  std::optional<WorkerCoverage> workers =
      {};                     // of the container that fewest of them were reached in
  std::optional<RunEnd> end;  // of the run: the rest is what was known by then
};

/// Called with what is known each time the limits change, and when they are proven.
using OnVerification = std::function<void(const Verification&)>;

/// `begun`: what was tried at `first` already. `last`: gets the last container of the proof, with
/// the limits that its CPU step left it.
Verification Verify(Lab& lab, Yardstick yardstick, const Limits& first, const OnVerification& told,
                    ProofAttempt begun = {}, KeptContainer* last = nullptr);

}  // namespace mlprof::server::phases
