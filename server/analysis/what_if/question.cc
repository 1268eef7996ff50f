#include "server/analysis/what_if/question.h"

#include <cmath>
#include <string>
#include <vector>

#include "server/analysis/latency.h"
#include "server/analysis/recommend.h"

namespace mlprof::server {
namespace {

constexpr double kOwnMargin = RulesOf(ResourceKind::kMemory).margin_percent / 100.0;

bool SameLoad(const Objective& a, const Objective& b) {
  if (a.requests_per_second != b.requests_per_second) return false;
  if (a.requests_per_second) return a.arrivals == b.arrivals;
  return a.ConcurrencyOrOne() == b.ConcurrencyOrOne();
}

}  // namespace

bool SameConnections(const Objective& asked, const Objective& own) {
  return !asked.connections || asked.connections == own.connections ||
         own.connections == ConnectionUse::kBoth;
}

bool SameObjective(const Objective& a, const Objective& b) {
  return SameLoad(a, b) && a.latency_ms == b.latency_ms && a.max_error_rate == b.max_error_rate &&
         a.start_within_seconds == b.start_within_seconds;
}

bool OwnMargin(const WhatIfQuestion& question) {
  return !question.memory_margin || std::abs(*question.memory_margin - kOwnMargin) < 1e-9;
}

bool OtherWorkers(const Profile& profile, const WhatIfQuestion& question) {
  return question.workers && question.workers != profile.recommendation->workers->count;
}

Status CheckQuestion(const WhatIfQuestion& question) {
  const Objective& objective = question.objective;
  std::vector<FieldError> fields;
  if (objective.concurrency && objective.requests_per_second) {
    fields.push_back({"/objective/requestsPerSecond", "excludes concurrency"});
  }
  if (objective.ConcurrencyOrOne() < 1) {
    fields.push_back({"/objective/concurrency", "must be at least 1"});
  }
  if (objective.requests_per_second && !(*objective.requests_per_second > 0)) {
    fields.push_back({"/objective/requestsPerSecond", "must be above 0"});
  }
  for (const auto& [key, ms] : objective.latency_ms) {
    if (!QuantileOfKey(key) || !(ms > 0)) {
      fields.push_back({"/objective/latencyInMs/" + key, "must be p50, p90, p95 or p99, above 0"});
    }
  }
  if (question.memory_margin && !(*question.memory_margin >= 0 && *question.memory_margin <= 10)) {
    fields.push_back({"/memoryMargin", "must be from 0 to 10"});
  }
  if (fields.empty()) return {};
  return Fail(Error(ErrorCode::kInvalidArgument, "the question cannot be answered", fields));
}

Status CheckWorkers(const Profile& profile, const WhatIfQuestion& question) {
  const auto& workers = profile.recommendation->workers;
  if (!question.workers) return {};
  if (workers && (workers->per_worker_memory || *question.workers == workers->count)) return {};
  const std::string why = workers ? "what one worker has for itself could not be read"
                                  : "the profile saw one process that serves";
  return Fail(
      Error(ErrorCode::kInvalidArgument, "the question cannot be answered", {{"/workers", why}}));
}

}  // namespace mlprof::server
