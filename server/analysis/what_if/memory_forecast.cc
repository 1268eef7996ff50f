#include "server/analysis/what_if/memory_forecast.h"

#include <algorithm>

#include "server/analysis/recommend.h"
#include "server/analysis/sentence.h"
#include "server/analysis/what_if/question.h"

namespace mlprof::server {
namespace {

struct ForeseenMemory {
  Bytes memory;
  Bytes need;
  Bytes low;  // of the bound: known to fall short where `low_failed`, or the measured need
  bool low_failed = false;
};

Bytes NeededMemory(const Profile& profile, Bytes low) {
  Bytes need = low;
  if (const auto& memory = profile.findings.memory) {
    const Bytes peak =
        std::max(memory->load_peak.value_or(Bytes()), memory->serving_peak.value_or(Bytes()));
    need = std::max(need, peak + memory->files_of_others.value_or(Bytes()));
  }
  return std::min(need, profile.recommendation->requested.memory());
}

ForeseenMemory OfOwnLoad(const Profile& profile, const WhatIfQuestion& question) {
  const Recommendation& own = *profile.recommendation;
  ForeseenMemory foreseen;
  foreseen.memory = own.requested.memory();
  if (const Bound* bound = own.bounds.Find(ResourceKind::kMemory)) {
    foreseen.low = bound->low.bytes();
    foreseen.low_failed = bound->low_failed;
  }
  foreseen.need = NeededMemory(profile, foreseen.low);
  if (OwnMargin(question)) return foreseen;
  // Above what is known to fall short; where the answer is the least there is, nothing is.
  const bool above = foreseen.low < foreseen.memory;
  const Bytes least = above ? foreseen.low + Bytes(1) : foreseen.low;
  foreseen.memory = std::max(Scale(foreseen.need, 1 + *question.memory_margin), least);
  return foreseen;
}

// With a note, and none of the loads that the measured number of them was seen to serve.
void CountOtherWorkers(const ServingWorkers& own, int asked, ForeseenMemory& foreseen,
                       WhatIfAnswer& answer) {
  // Those that had no row may not have loaded what they hold: they are not in what was measured.
  const int held = own.reached > 0 ? own.reached : own.count;
  const int more = asked - held;
  const Bytes each = *own.per_worker_memory;
  const auto for_others = [&](Bytes bytes) {
    return std::max(Bytes(), Bytes(bytes.count() + more * each.count()));
  };
  foreseen.memory = for_others(foreseen.memory);
  // What fell short, did so with another number of them.
  foreseen.low = foreseen.need = for_others(foreseen.need);
  foreseen.low_failed = false;
  answer.within_measured = false;
  answer.recommendation->workers = ServingWorkers{asked, each, 0};
  answer.recommendation->max_concurrency.reset();
  answer.recommendation->max_requests_per_second.reset();
  answer.notes.push_back(
      Sentence("%d workers were not run: what one has for itself, %.0f MiB, counts for each", asked,
               each.mib()));
}

void NoteCeiling(const Profile& profile, Bytes memory, WhatIfAnswer& answer) {
  const auto& ceiling = profile.request.ceiling.memory;
  if (!ceiling || memory <= *ceiling) return;
  answer.within_measured = false;
  answer.notes.push_back(
      Sentence("%.0f MiB are more than the ceiling of the profile", memory.mib()));
}

}  // namespace

void AnswerMemory(const Profile& profile, const WhatIfQuestion& question, double more_in_flight,
                  WhatIfAnswer& answer) {
  const Recommendation& own = *profile.recommendation;
  const auto& findings = profile.findings.memory;
  const bool other_workers = OtherWorkers(profile, question);
  ForeseenMemory foreseen = OfOwnLoad(profile, question);
  if (more_in_flight > 0 && findings && findings->per_concurrent_request) {
    foreseen.memory += Scale(*findings->per_concurrent_request, more_in_flight);
  }
  if (other_workers) CountOtherWorkers(*own.workers, *question.workers, foreseen, answer);
  const Bytes memory = std::max(RoundUp(foreseen.memory, kMemoryQuantum), kSmallestLimits.memory());
  NoteCeiling(profile, memory, answer);
  Recommendation& said = *answer.recommendation;
  said.requested.Set(memory);
  const Bound* bound = own.bounds.Find(ResourceKind::kMemory);
  Bound range{
      std::min(foreseen.low, memory),
      bound != nullptr ? Greater(bound->high, memory) : Amount(memory),
      Sentence("%.0f MiB %s needed", foreseen.need.mib(), other_workers ? "would be" : "were")};
  range.low_failed = foreseen.low_failed;
  said.Set(std::move(range));
  if (memory < own.requested.memory()) {
    answer.notes.push_back("less memory than the answer has was not verified");
  }
  if (findings && findings->trend == MemoryTrend::kGrowing) {
    answer.notes.push_back("memory grows with every request: a limit only sets when it runs out");
  }
}

}  // namespace mlprof::server
