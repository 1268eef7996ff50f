#include "server/analysis/limit_search.h"

#include <algorithm>

namespace mlprof::server {

GridSearch::GridSearch(Cores floor, Cores guess, Cores ceiling)
    : guess_(std::clamp(guess, std::min(floor, ceiling), ceiling)),
      passing_(ceiling),
      below_(std::min(floor, ceiling) - kCpuQuantum) {}

// While all tries ended alike, in growing strides away from the guess; it seldom is far off.
std::optional<Cores> GridSearch::Next() const {
  if (passing_ - below_ <= kCpuQuantum) return std::nullopt;
  if (!tried_any_ && guess_ < passing_) return guess_;
  const Cores up = below_ + stride_;
  if (tried_any_ && !passed_any_ && up < passing_) return up;
  const Cores down = passing_ - stride_;
  if (tried_any_ && !failed_any_ && down > below_) return down;
  const Cores middle =
      Cores::FromMillicores((below_.millicores() + passing_.millicores()) / 2).RoundDownToGrid();
  return std::max(middle, below_ + kCpuQuantum);
}

void GridSearch::Tell(Cores tried, bool passed) {
  if (tried_any_ && passed == passed_any_) stride_ = stride_ + stride_;
  if (passed) {
    passing_ = std::min(passing_, tried);
    passed_any_ = true;
  } else {
    below_ = std::max(below_, tried);
    failed_any_ = true;
  }
  tried_any_ = true;
}

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

std::optional<Amount> Halfway(const Amount& failed, const Amount& held) {
  const ResourceRules& rules = RulesOf(held.kind());
  const Amount closest = Greater(PercentOf(held, rules.lower_percent), rules.quantum);
  const std::int64_t gap = held.units() - failed.units();
  if (gap <= closest.units()) return std::nullopt;
  // A step that the grid makes larger than it is meant to be may hold another limit.
  const auto step = OneStepLower(held);
  const Amount most = step && failed < *step
                          ? *step
                          : RoundDown(held.WithUnits(held.units() - rules.quantum.units()));
  const Amount middle = Lesser(RoundUp(held.WithUnits(failed.units() + gap / 2)), most);
  return failed < middle ? std::optional(middle) : std::nullopt;
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
