#include "server/analysis/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "server/analysis/seeded_random.h"

namespace mlprof {
namespace {

constexpr std::size_t kFewestValues = 8;
constexpr double kTail = 0.025;

// Nearest rank, from 0.
std::size_t Rank(double quantile, std::size_t count) {
  const double exact = quantile * static_cast<double>(count);
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(exact - 1e-9)));
  return std::min(rank, count) - 1;
}

std::size_t BlockOf(const BootstrapPlan& plan, std::size_t count) {
  return std::clamp<std::size_t>(plan.block, 1, std::max<std::size_t>(1, count / 4));
}

Interval MiddleOf(std::vector<double>& statistics) {
  std::sort(statistics.begin(), statistics.end());
  return {statistics[Rank(kTail, statistics.size())],
          statistics[Rank(1 - kTail, statistics.size())]};
}

// Calls visit(first, length) for blocks that make up `count` values; the last one is cut.
template <class Visit>
void DrawBlocks(std::size_t count, std::size_t block, SeededRandom& random, const Visit& visit) {
  for (std::size_t drawn = 0; drawn < count; drawn += block) {
    visit(random.Index(count - block + 1), std::min(block, count - drawn));
  }
}

// statistic() of each resample.
template <class Statistic>
std::optional<Interval> Resampled(std::size_t count, const BootstrapPlan& plan,
                                  const Statistic& statistic) {
  if (count < kFewestValues || plan.resamples < 1) return std::nullopt;
  const std::size_t block = BlockOf(plan, count);
  SeededRandom random(plan.seed);
  std::vector<double> statistics;
  for (int i = 0; i < plan.resamples; ++i) statistics.push_back(statistic(block, random));
  return MiddleOf(statistics);
}

// For every value its place in sorted order: ranks are resampled and counted, never sorted again.
std::vector<std::uint32_t> PlacesOf(std::span<const double> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  std::vector<std::uint32_t> places(values.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

// The place below which `rank` of the counted values lie.
std::size_t PlaceOfRank(std::span<const std::uint32_t> counts, std::size_t rank) {
  std::size_t seen = 0;
  std::size_t place = 0;
  while (place + 1 < counts.size() && seen + counts[place] <= rank) seen += counts[place++];
  return place;
}

}  // namespace

std::optional<Interval> BootstrapMean(std::span<const double> values, const BootstrapPlan& plan) {
  std::vector<double> sums(values.size() + 1, 0);
  std::partial_sum(values.begin(), values.end(), sums.begin() + 1);
  const std::size_t count = values.size();
  return Resampled(count, plan, [&](std::size_t block, SeededRandom& random) {
    double sum = 0;
    DrawBlocks(count, block, random, [&](std::size_t first, std::size_t length) {
      sum += sums[first + length] - sums[first];
    });
    return sum / static_cast<double>(count);
  });
}

std::optional<Interval> BootstrapQuantile(std::span<const double> values, double quantile,
                                          const BootstrapPlan& plan) {
  const std::size_t count = values.size();
  const std::vector<std::uint32_t> places = PlacesOf(values);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> counts(count);
  return Resampled(count, plan, [&](std::size_t block, SeededRandom& random) {
    std::fill(counts.begin(), counts.end(), 0U);
    DrawBlocks(count, block, random, [&](std::size_t first, std::size_t length) {
      for (std::size_t i = first; i < first + length; ++i) ++counts[places[i]];
    });
    return sorted[PlaceOfRank(counts, Rank(quantile, count))];
  });
}

}  // namespace mlprof
