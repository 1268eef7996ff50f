#include "server/analysis/variants/early_end.h"

#include <algorithm>
#include <array>

#include "server/analysis/variants/figures.h"

namespace mlprof::server {
namespace {

// From the end of the search for CPU to the beginning of the proof.
bool IsJudged(std::string_view phase) {
  constexpr std::array<std::string_view, 4> kPhases = {"searchCpu", "loadCurve", "searchMemory",
                                                       "threadPools"};
  return std::ranges::find(kPhases, phase) != kPhases.end();
}

bool Beats(const VariantFigures& rival, const VariantFigures& running) {
  if (!rival.p95_ms || !running.p95_ms) return false;
  if (!rival.requests_per_second || !running.requests_per_second) return false;
  return running.cost_per_hour >= kClearlyMore * rival.cost_per_hour &&
         *running.p95_ms >= *rival.p95_ms &&
         *running.requests_per_second <= *rival.requests_per_second;
}

std::string WhyOf(const std::string& rival, const VariantFigures& better,
                  const VariantFigures& figures) {
  return "ended early: " + rival + " is proven at a cost of " + ThreeDigits(better.cost_per_hour) +
         " an hour with p95 " + ThreeDigits(*better.p95_ms) + " ms and " +
         ThreeDigits(*better.requests_per_second) +
         " requests a second; this one was about to ask " + "for a cost of " +
         ThreeDigits(figures.cost_per_hour) + ", with p95 " + ThreeDigits(*figures.p95_ms) +
         " ms and " + ThreeDigits(*figures.requests_per_second) +
         " requests a second even without limits";
}

}  // namespace

std::optional<std::string> WhyBeaten(const Profile& running, std::string_view phase,
                                     const std::vector<RivalVariant>& rivals,
                                     const Prices& prices) {
  if (!IsJudged(phase) || !running.recommendation || running.recommendation->verified) {
    return std::nullopt;
  }
  const auto figures = FiguresOf(running, prices);
  for (const RivalVariant& rival : rivals) {
    const Profile& other = *rival.profile;
    if (!other.recommendation || !other.recommendation->verified) continue;
    Objective own = running.request.objective;
    own.connections = other.request.objective.connections;  // found out, not asked for
    if (own != other.request.objective) continue;
    const auto better = FiguresOf(other, prices);
    if (better && figures && Beats(*better, *figures)) return WhyOf(rival.name, *better, *figures);
  }
  return std::nullopt;
}

}  // namespace mlprof::server
