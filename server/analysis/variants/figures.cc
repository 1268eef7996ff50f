#include "server/analysis/variants/figures.h"

#include <cstdio>

#include "server/analysis/variants/cost.h"

namespace mlprof::server {

std::optional<VariantFigures> FiguresOf(const Profile& profile, const Prices& prices) {
  if (!profile.recommendation) return std::nullopt;
  VariantFigures figures;
  figures.requested = profile.recommendation->requested;
  figures.cost_per_hour = CostPerHour(figures.requested, prices);
  if (profile.measurements) {
    figures.p95_ms = profile.measurements->latency_p95_ms;
    figures.requests_per_second = profile.measurements->queries_per_second;
  }
  const auto& rate = profile.request.objective.requests_per_second;
  if (rate) figures.requests_per_second = rate;
  if (profile.recommendation->verified) {
    figures.cost_per_million = CostPerMillion(figures.cost_per_hour, figures.requests_per_second);
  }
  return figures;
}

std::string ThreeDigits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : "%.3g", value);
  return text;
}

}  // namespace mlprof::server
