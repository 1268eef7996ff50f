// What a step of one connection throws (out of memory, a mistake of ours) ends that connection and
// nothing else.
#pragma once

#include <memory>
#include <utility>

#include "common/log/log.h"

namespace mlprof {

/// Works in steps, each a callback on the I/O thread.
class InSteps {
 public:
  virtual ~InSteps() = default;
  /// Called after a step that threw: ends what the steps were doing, so that nothing waits for
  /// ever.
  virtual void BreakOff() noexcept = 0;
};

/// Copyable; may outlive what it guards: then no step of it is run any more.
class StepGuard {
 public:
  StepGuard() = default;
  explicit StepGuard(std::weak_ptr<InSteps> guarded) : guarded_(std::move(guarded)) {}

  /// Keeps what is guarded alive; null where it has gone.
  std::shared_ptr<InSteps> Hold() const { return guarded_.lock(); }

  /// The step works on what is guarded, which stays alive meanwhile.
  template <class Step>
  void Run(Step&& step) const noexcept {
    const auto guarded = Hold();
    if (!guarded) return;
    try {
      std::forward<Step>(step)();
    } catch (...) {
      LogThrown("a connection is broken off", "http");
      guarded->BreakOff();
    }
  }

 private:
  std::weak_ptr<InSteps> guarded_;
};

}  // namespace mlprof
