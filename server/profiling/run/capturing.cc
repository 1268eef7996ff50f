// The part of a run that takes device traces, behind everything that is measured.
#include <algorithm>

#include "server/profiling/run/answer.h"
#include "server/profiling/run/proven.h"
#include "server/profiling/run/story.h"

namespace mlprof::server {
namespace {

// The budget's clock goes on while it is asked what is left.
constexpr std::chrono::seconds kCaptureSlack{1};
// What a profiler may take to send a trace, which most take a small part of.
constexpr std::chrono::seconds kMostToSend{60};

// The slowest start at the answer's limits, where the model may have far less CPU than at first.
std::chrono::milliseconds SlowestStart(const phases::Proof* proof) {
  double slowest = 0;
  if (proof != nullptr) {
    for (const phases::LimitedRun& run : proof->passes) {
      slowest = std::max(slowest, run.trial.measurements.start_seconds.value_or(0));
    }
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(slowest * 1000));
}

}  // namespace

using namespace phases;  // NOLINT(google-build-using-namespace): this is their story

Limits Story::LimitsToCapture(const Lab& lab) const {
  const auto answer = facts_.host.host.limits_hold ? AnswerOf(facts_) : std::nullopt;
  return answer ? answer->requested.With(lab.ceiling().memory()) : lab.ceiling();
}

PhaseResult<void> Story::Capture(Lab& lab, const Setup& setup, const Workload& workload) {
  const auto& port = lab.subject().config.profiler_port;
  if (!port || !services_.traces || lab.stopped()) return {};
  Enter(shares::kCaptures, "recording the model");
  Yardstick yardstick = YardstickOf(setup, workload);
  if (const auto answer = AnswerOf(facts_)) {
    yardstick.setup.environment = answer->environment_variables;
  }
  facts_.captures = TakeCaptures(lab, yardstick, *port);
  if (lab.stopped()) return Canceled();
  Finish(lab, facts_.captures->missing.empty() ? "done" : "not all taken");
  return {};
}

CaptureFacts Story::TakeCaptures(Lab& lab, const Yardstick& yardstick, int port) {
  const auto needed = TimeToCapture(budget_, yardstick) + SlowestStart(ProofOf(facts_));
  const auto loads = std::ssize(LoadsToCapture(yardstick.workload.objective));
  budget_.Extend(needed + kCaptureSlack + loads * kMostToSend);
  if (budget_.Left() >= needed) {
    return phases::TakeCaptures(lab, yardstick, LimitsToCapture(lab), port, *services_.traces);
  }
  return {{},
          {{"captureSkipped", "no device trace was taken: the budget did not hold it",
            "allow a longer budget with --budget-seconds, or name none"}}};
}

}  // namespace mlprof::server
