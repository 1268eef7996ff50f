#include "common/domain/variant_comparison.h"

#include <algorithm>
#include <array>

namespace mlprof {
namespace {

constexpr std::array<std::string_view, 2> kRankings = {"millionRequests", "replica"};
constexpr std::array<std::string_view, 9> kOutcomes = {"waiting",  "running",  "proven",
                                                       "unproven", "noAnswer", "endedEarly",
                                                       "failed",   "canceled", "deleted"};
constexpr std::array<std::string_view, 5> kComparisonStates = {"Queued", "Running", "Succeeded",
                                                               "Failed", "Canceled"};

template <class Enum, std::size_t Count>
std::optional<Enum> IndexIn(const std::array<std::string_view, Count>& names,
                            std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view Name(RankBy by) { return kRankings.at(static_cast<std::size_t>(by)); }
std::optional<RankBy> ParseRankBy(std::string_view name) {
  return IndexIn<RankBy>(kRankings, name);
}

std::string_view Name(VariantOutcome outcome) {
  return kOutcomes.at(static_cast<std::size_t>(outcome));
}
std::optional<VariantOutcome> ParseVariantOutcome(std::string_view name) {
  return IndexIn<VariantOutcome>(kOutcomes, name);
}

std::string_view Name(ComparisonState state) {
  return kComparisonStates.at(static_cast<std::size_t>(state));
}
std::optional<ComparisonState> ParseComparisonState(std::string_view name) {
  return IndexIn<ComparisonState>(kComparisonStates, name);
}

}  // namespace mlprof
