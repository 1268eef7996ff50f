// Whether the engine can be trusted with a run: it answers, and after it went away under a run it
// has answered for a while, longer each time in a row (Backoff). Pure; used by one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace mlprof::server {

/// How long to wait before the next try: longer each time, up to a most.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds most)
      : first_(first), most_(most), next_(first) {}

  std::chrono::milliseconds Next() {
    const auto wait = next_;
    next_ = std::min(most_, 2 * next_);
    return wait;
  }
  void Reset() { next_ = first_; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds most_;
  std::chrono::milliseconds next_;
};

class EngineTrust {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `first_proof`, doubled up to `longest_proof`: how long it must answer after it lost a run.
  EngineTrust(std::chrono::milliseconds first_proof, std::chrono::milliseconds longest_proof)
      : proofs_(first_proof, longest_proof) {}

  void Responded(Time now) {
    if (!responding_since_) responding_since_ = now;
    if (Trusted(now)) distrusted_since_.reset();
  }
  void Failed(Time now) {
    responding_since_.reset();
    if (!distrusted_since_) distrusted_since_ = now;
  }
  /// It went away in the midst of a run.
  void LostRun(Time now) {
    Failed(now);
    proof_ = proofs_.Next();
  }
  void KeptRun() {
    proofs_.Reset();
    proof_ = {};
  }

  bool Trusted(Time now) const { return responding_since_ && now - *responding_since_ >= proof_; }
  std::chrono::nanoseconds DistrustedFor(Time now) const {
    return distrusted_since_ ? now - *distrusted_since_ : std::chrono::nanoseconds(0);
  }

 private:
  Backoff proofs_;
  std::chrono::milliseconds proof_{0};
  std::optional<Time> responding_since_;
  std::optional<Time> distrusted_since_;
};

}  // namespace mlprof::server
