#include "server/analysis/variants/ranking.h"

#include <algorithm>
#include <limits>

#include "server/analysis/variants/cost.h"
#include "server/analysis/variants/figures.h"

namespace mlprof::server {
namespace {

constexpr double kUnknownCost = std::numeric_limits<double>::infinity();

std::string EarlyEndOf(const Profile& profile) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == kEndedEarlyWarning) return warning.message;
  }
  return "";
}

// A proof that a cancel came after is one.
void AddOutcome(const Profile& profile, VariantResult& result) {
  const auto is = [&](VariantOutcome outcome, std::string why = "") {
    result.outcome = outcome;
    result.why = std::move(why);
  };
  if (profile.state == ProfileState::kQueued) return is(VariantOutcome::kWaiting);
  if (!IsFinished(profile.state)) return is(VariantOutcome::kRunning);
  if (profile.recommendation && profile.recommendation->verified) {
    return is(VariantOutcome::kProven);
  }
  if (profile.state == ProfileState::kCanceled) {
    std::string why = EarlyEndOf(profile);
    return why.empty() ? is(VariantOutcome::kCanceled, "it was cancelled")
                       : is(VariantOutcome::kEndedEarly, std::move(why));
  }
  if (profile.state != ProfileState::kSucceeded) {
    return is(VariantOutcome::kFailed,
              profile.error ? profile.error->code + ": " + profile.error->message : "it failed");
  }
  if (profile.no_answer) return is(VariantOutcome::kNoAnswer, profile.no_answer->message);
  is(VariantOutcome::kUnproven, "its answer could not be verified within its budget");
}

VariantResult ResultOf(const ComparisonRecord& record, std::size_t index,
                       const std::optional<Profile>& profile) {
  VariantResult result;
  result.variant = record.request.variants[index];
  result.profile_id = record.profile_ids[index];
  result.profile = record.request.base.name + "." + result.variant.name;
  if (!profile) {
    result.outcome = VariantOutcome::kDeleted;
    result.why = "its profile was deleted";
    return result;
  }
  result.profile = profile->request.name;
  result.progress = profile->progress;
  AddOutcome(*profile, result);
  result.figures = FiguresOf(*profile, record.request.prices);
  return result;
}

double CostOf(const VariantFigures& figures, RankBy by) {
  if (by == RankBy::kReplica) return figures.cost_per_hour;
  return figures.cost_per_million.value_or(kUnknownCost);
}

struct Worth {
  bool unproven;
  double cost;
  double replica;
  double p95_ms;
  double requests_per_second_negated;
  auto operator<=>(const Worth&) const = default;
};

Worth WorthOf(const VariantResult& result, RankBy by) {
  const VariantFigures& figures = *result.figures;
  return {result.outcome != VariantOutcome::kProven, CostOf(figures, by), figures.cost_per_hour,
          figures.p95_ms.value_or(kUnknownCost), -figures.requests_per_second.value_or(0)};
}

// Proven ones by cost, then those with an answer that is not; ties by p95, then by throughput.
std::vector<std::size_t> AddRanks(RankBy by, std::vector<VariantResult>& results) {
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const VariantOutcome outcome = results[i].outcome;
    const bool answers = outcome == VariantOutcome::kProven || outcome == VariantOutcome::kUnproven;
    if (answers && results[i].figures) ranked.push_back(i);
  }
  std::ranges::stable_sort(ranked, [&](std::size_t a, std::size_t b) {
    return WorthOf(results[a], by) < WorthOf(results[b], by);
  });
  for (std::size_t place = 0; place < ranked.size(); ++place) {
    results[ranked[place]].rank = static_cast<int>(place) + 1;
  }
  return ranked;
}

// With the least that each resource may need where no less was seen to fall short.
double LowestCost(const VariantResult& result, const Profile& profile,
                  const VariantComparisonRequest& request) {
  Limits least = result.figures->requested;
  for (const ResourceKind kind : kResources) {
    const Bound* bound = profile.recommendation->bounds.Find(kind);
    const auto asked = least.Find(kind);
    if (bound != nullptr && asked && !bound->low_failed && bound->low < *asked) {
      least.Set(bound->low);
    }
  }
  const double per_hour = CostPerHour(least, request.prices);
  if (request.rank_by == RankBy::kReplica) return per_hour;
  return CostPerMillion(per_hour, result.figures->requests_per_second).value_or(kUnknownCost);
}

bool WasNoisy(const Profile& profile) {
  return std::ranges::any_of(
      profile.warnings, [](const Warning& warning) { return warning.code == kNoisyHostWarning; });
}

double AlikeCost(const Profile& best, const Profile& other) {
  return WasNoisy(best) || WasNoisy(other) ? kAlikeCostOnNoisyHost : kAlikeCost;
}

// Of all with an answer, since noise may be why one has no proof; "" where the host was quiet.
std::string NoiseText(const std::vector<std::optional<Profile>>& profiles,
                      const std::vector<VariantResult>& results,
                      const std::vector<std::size_t>& ranked) {
  std::string names;
  for (const std::size_t i : ranked) {
    if (!WasNoisy(*profiles[i])) continue;
    names += (names.empty() ? "" : ", ") + results[i].variant.name;
  }
  return names.empty() ? "" : "; the host was not quiet while it measured " + names;
}

std::string CostText(const VariantFigures& figures) {
  std::string text = ThreeDigits(figures.cost_per_hour) + " an hour";
  if (figures.cost_per_million) {
    text += ", " + ThreeDigits(*figures.cost_per_million) + " a million requests";
  }
  return text;
}

std::optional<VariantChoice> ChoiceOf(const ComparisonRecord& record,
                                      const std::vector<std::optional<Profile>>& profiles,
                                      const std::vector<VariantResult>& results,
                                      const std::vector<std::size_t>& ranked) {
  const auto is_proven = [&](std::size_t i) {
    return results[i].outcome == VariantOutcome::kProven;
  };
  if (ranked.empty() || !is_proven(ranked.front())) return std::nullopt;
  const auto proven = std::ranges::count_if(ranked, is_proven);
  const RankBy by = record.request.rank_by;
  const VariantResult& best = results[ranked.front()];
  const double cost = CostOf(*best.figures, by);
  VariantChoice choice{best.variant.name, "", {}};
  choice.because = "it holds the objective at the least cost: " + CostText(*best.figures);
  if (proven == 1) choice.because += "; no other is proven";
  for (std::size_t place = 1; place < static_cast<std::size_t>(proven); ++place) {
    const VariantResult& other = results[ranked[place]];
    const double more = CostOf(*other.figures, by) / cost - 1;
    if (place == 1 && cost > 0) {
      choice.because +=
          "; the next, " + other.variant.name + ", costs " + ThreeDigits(more * 100) + "% more";
    }
    const double alike = AlikeCost(*profiles[ranked.front()], *profiles[ranked[place]]);
    if (LowestCost(other, *profiles[ranked[place]], record.request) <= alike * cost) {
      choice.close.push_back(other.variant.name);
    }
  }
  choice.because += NoiseText(profiles, results, ranked);
  return choice;
}

ComparisonState StateOf(const std::vector<VariantResult>& results) {
  const auto any = [&](auto... outcomes) {
    return std::ranges::any_of(results, [&](const VariantResult& result) {
      return ((result.outcome == outcomes) || ...);
    });
  };
  using enum VariantOutcome;
  if (any(kWaiting, kRunning)) {
    const bool untouched = std::ranges::all_of(
        results, [](const VariantResult& result) { return result.outcome == kWaiting; });
    return untouched ? ComparisonState::kQueued : ComparisonState::kRunning;
  }
  if (any(kCanceled)) return ComparisonState::kCanceled;
  if (any(kProven, kUnproven, kNoAnswer)) return ComparisonState::kSucceeded;
  return ComparisonState::kFailed;
}

void AddTimes(const std::vector<std::optional<Profile>>& profiles, VariantComparison& comparison) {
  for (const auto& profile : profiles) {
    if (!profile) continue;
    if (profile->started && (!comparison.started || *profile->started < *comparison.started)) {
      comparison.started = profile->started;
    }
    if (IsFinished(comparison.state)) {
      comparison.finished = std::max(comparison.finished, profile->finished);
    }
  }
}

bool Dominates(const VariantFigures& a, const VariantFigures& b) {
  const double a_p95 = a.p95_ms.value_or(kUnknownCost);
  const double b_p95 = b.p95_ms.value_or(kUnknownCost);
  const double a_rate = a.requests_per_second.value_or(0);
  const double b_rate = b.requests_per_second.value_or(0);
  const bool as_good = a.cost_per_hour <= b.cost_per_hour && a_p95 <= b_p95 && a_rate >= b_rate;
  return as_good && (a.cost_per_hour < b.cost_per_hour || a_p95 < b_p95 || a_rate > b_rate);
}

}  // namespace

void MarkFront(std::vector<VariantResult>& results) {
  const auto is_proven = [](const VariantResult& result) {
    return result.outcome == VariantOutcome::kProven && result.figures;
  };
  for (VariantResult& result : results) {
    result.on_front =
        is_proven(result) && std::ranges::none_of(results, [&](const VariantResult& other) {
          return is_proven(other) && Dominates(*other.figures, *result.figures);
        });
  }
}

VariantComparison CompareVariants(const ComparisonRecord& record,
                                  const std::vector<std::optional<Profile>>& profiles) {
  VariantComparison comparison;
  comparison.id = record.id;
  comparison.workspace = record.workspace;
  comparison.created = record.created;
  comparison.request = record.request;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    comparison.results.push_back(ResultOf(record, i, profiles[i]));
  }
  comparison.state = StateOf(comparison.results);
  AddTimes(profiles, comparison);
  MarkFront(comparison.results);
  const auto ranked = AddRanks(record.request.rank_by, comparison.results);
  comparison.choice = ChoiceOf(record, profiles, comparison.results, ranked);
  return comparison;
}

}  // namespace mlprof::server
