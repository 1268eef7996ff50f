#include "server/analysis/memory_search.h"

#include <algorithm>

namespace mlprof::server {
namespace {

constexpr int kMostBisections = 6;  // narrows the range to a 64th

}  // namespace

MemoryBisection::MemoryBisection(Bytes failing, Bytes passing, double tolerance)
    : failing_(std::min(failing, passing)), passing_(passing), tolerance_(tolerance) {}

std::optional<Bytes> MemoryBisection::Next() const {
  const Bytes gap = passing_ - failing_;
  if (gap <= std::max(kMemoryQuantum, Scale(passing_, tolerance_))) return std::nullopt;
  const Bytes middle = std::max(RoundUp(Bytes(failing_.count() + gap.count() / 2), kMemoryQuantum),
                                kSmallestLimits.memory());
  return middle < passing_ ? std::optional(middle) : std::nullopt;
}

void MemoryBisection::Tell(Bytes tried, bool passed) {
  if (passed) {
    passing_ = std::min(passing_, tried);
  } else {
    failing_ = std::max(failing_, tried);
  }
}

StartSearch::StartSearch(Bytes failing, Bytes guess, Bytes maximum)
    : failing_(failing), maximum_(maximum) {
  const Bytes above_failing = failing + kMemoryQuantum;
  next_ = std::min(RoundUp(std::max(guess, above_failing), kMemoryQuantum), maximum);
}

std::optional<Bytes> StartSearch::Next() const {
  if (!bisection_) return failing_ < maximum_ ? std::optional(next_) : std::nullopt;
  return bisections_ < kMostBisections ? bisection_->Next() : std::nullopt;
}

void StartSearch::Tell(bool passed) {
  const auto tried = Next();
  if (!tried) return;
  if (bisection_) {
    bisection_->Tell(*tried, passed);
    ++bisections_;
  } else if (passed) {
    bisection_.emplace(failing_, *tried);
  } else {
    failing_ = *tried;
    next_ = std::min(Bytes(tried->count() * 2), maximum_);
  }
}

std::optional<Bytes> StartSearch::found() const {
  if (!bisection_) return std::nullopt;
  return bisection_->passing();
}

}  // namespace mlprof::server
