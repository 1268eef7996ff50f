#include "server/analysis/recommend.h"

namespace mlprof::server {
namespace {

// The most that was tried of it and failed. What failed once and later held, on a quieter host,
// bounds nothing.
std::optional<Amount> MostFailed(const Amount& requested, const std::vector<FailedTry>& failed) {
  std::optional<Amount> most;
  for (const FailedTry& attempt : failed) {
    if (attempt.shortage != requested.kind()) continue;
    const auto tried = attempt.limits.Find(requested.kind());
    if (!tried || !(*tried < requested)) continue;
    if (!most || *most < *tried) most = tried;
  }
  return most;
}

Bound BoundOf(const Amount& requested, const ResourceNeed& need, const Amount& ceiling,
              const std::optional<Amount>& failed) {
  return {failed.value_or(Lesser(need.Used(), requested)),
          Greater(requested, Clamp(need.Ample(), ceiling)), need.Reason(requested, failed)};
}

}  // namespace

Limits FirstAnswer(const MeasuredNeed& need, const Limits& ceiling) {
  Limits limits;
  for (const Amount& most : ceiling.All()) {
    const ResourceNeed* measured = need.Find(most.kind());
    limits.Set(measured != nullptr ? Clamp(measured->Asked(), most) : most);
  }
  return limits;
}

std::optional<Limits> Raise(const Limits& tried, ResourceKind shortage, const Limits& ceiling) {
  const auto limit = tried.Find(shortage);
  const auto most = ceiling.Find(shortage);
  if (!limit || !most) return std::nullopt;
  const Amount raised = Clamp(OneStepHigher(*limit), *most);
  if (raised == *limit) return std::nullopt;
  return tried.With(raised);
}

Recommendation Recommend(const Limits& limits, const MeasuredNeed& need, const Limits& ceiling,
                         const std::vector<FailedTry>& failed) {
  Recommendation answer;
  answer.requested = limits;
  for (const Amount& requested : limits.All()) {
    const ResourceNeed* measured = need.Find(requested.kind());
    if (measured == nullptr) continue;
    const Amount most = ceiling.Find(requested.kind()).value_or(requested);
    answer.Set(BoundOf(requested, *measured, most, MostFailed(requested, failed)));
  }
  return answer;
}

}  // namespace mlprof::server
