// Phase "tightness": one step lower, each resource by itself. What fails there certifies the
// answer; what holds, again and again, becomes it.
#pragma once

#include "server/profiling/phases/verify.h"

namespace mlprof::server::phases {

struct Tightness {
  Proof proof;                    // of the answer: lower than the first where that held
  std::vector<FailedTry> failed;  // with those of the verification
  PerResource<bool> tight_each;   // of those that were tried one step lower
  bool cut_short = false;         // by the budget, or by what was only to show more
  Reference reference;            // with the looks so far
  /// Beside the proof's: that succeeded, of the loads that no more memory than the answer's bore,
  /// with less CPU.
  std::int64_t requests = 0;
  /// One of those was killed for memory, with as much of it as the answer has.
  bool killed = false;
  std::optional<RunEnd> canceled;

  /// Whether each is; nullopt where not every resource was tried one step lower.
  std::optional<bool> tight() const;
};

/// Called each time the answer became lower.
using OnTightness = std::function<void(const Tightness&)>;

/// Starts from a verification that was proven. A budget that ends meanwhile is no error: the answer
/// stands.
Tightness TestTightness(Lab& lab, Yardstick yardstick, const Verification& verification,
                        const OnTightness& told);

}  // namespace mlprof::server::phases
