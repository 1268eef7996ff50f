#include "server/analysis/beside_reference.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace mlprof::server {
namespace {

// Where less than this share of a load's requests are of rows that the other has seen too, the two
// are parts of a dataset too large for either, and stand for it as they are. Chosen, not measured.
constexpr double kCommonEnough = 0.5;
// One request lies beyond p99 of a hundred: less is no p99.
constexpr std::size_t kLeastForTail = 100;
// Rows that differ by no more pass for one kind; a flip between them costs little. Chosen, not
// measured.
constexpr double kHeavier = 1.25;

struct Side {
  std::vector<Visit> visits;
  LatencyDistribution latencies{std::vector<std::uint32_t>()};
  double rate = 0;
};

struct Pair {
  Side run;
  Side reference;
};

std::unordered_set<std::uint32_t> RowsOf(std::span<const Visit> visits) {
  std::unordered_set<std::uint32_t> rows;
  for (const Visit& visit : visits) rows.insert(visit.row);
  return rows;
}

std::vector<Visit> Among(std::span<const Visit> visits,
                         const std::unordered_set<std::uint32_t>& rows) {
  std::vector<Visit> among;
  for (const Visit& visit : visits) {
    if (rows.contains(visit.row)) among.push_back(visit);
  }
  return among;
}

bool IsMostOf(const std::vector<Visit>& part, const std::vector<Visit>& all) {
  return static_cast<double>(part.size()) >= kCommonEnough * static_cast<double>(all.size());
}

double MeanMsOf(const std::vector<Visit>& visits) {
  double sum_us = 0;
  for (const Visit& visit : visits) sum_us += visit.latency_us;
  return visits.empty() ? 0 : sum_us / static_cast<double>(visits.size()) / 1000;
}

// The rate had each of these rows come equally often: in a closed loop it goes with one by the mean
// latency.
Side MakeSide(const Look& look, std::vector<Visit> visits) {
  Side side;
  side.latencies = LatencyDistribution::ByRow(visits);
  side.visits = std::move(visits);
  const double mean = side.latencies.MeanMs().value_or(0);
  if (mean > 0) side.rate = look.requests_per_second * MeanMsOf(look.visits) / mean;
  return side;
}

Pair MakePair(const Look& run, const Look& reference) {
  std::vector<Visit> of_run = Among(run.visits, RowsOf(reference.visits));
  std::vector<Visit> of_reference = Among(reference.visits, RowsOf(run.visits));
  if (IsMostOf(of_run, run.visits) && IsMostOf(of_reference, reference.visits)) {
    return {MakeSide(run, std::move(of_run)), MakeSide(reference, std::move(of_reference))};
  }
  return {MakeSide(run, run.visits), MakeSide(reference, reference.visits)};
}

// A figure of both sides, and whose pair it is.
struct FigurePair {
  double run = 0;
  double reference = 0;
  const Pair* pair = nullptr;
};

// The middle one by how much slower the run was; of two in the middle the mean.
std::optional<FigurePair> MiddleOf(std::vector<FigurePair> figures) {
  std::erase_if(figures,
                [](const FigurePair& figure) { return figure.run <= 0 || figure.reference <= 0; });
  if (figures.empty()) return std::nullopt;
  std::sort(figures.begin(), figures.end(), [](const FigurePair& a, const FigurePair& b) {
    return a.run * b.reference < b.run * a.reference;
  });
  const FigurePair& lower = figures[(figures.size() - 1) / 2];
  const FigurePair& upper = figures[figures.size() / 2];
  return FigurePair{(lower.run + upper.run) / 2, (lower.reference + upper.reference) / 2,
                    upper.pair};
}

bool AtEdge(const LatencyDistribution& latencies) {
  const double below = latencies.QuantileMs(0.95 - kEdge).value_or(0);
  const double above = latencies.QuantileMs(0.95 + kEdge).value_or(0);
  return above > kHeavier * below;
}

// At p95 of both sides, or above it on both.
FigurePair P95Of(const Pair& pair) {
  const double quantile = AtEdge(pair.reference.latencies) ? 0.95 + kEdge : 0.95;
  return {pair.run.latencies.QuantileMs(quantile).value_or(0),
          pair.reference.latencies.QuantileMs(quantile).value_or(0), &pair};
}

template <class FigureOf>
std::optional<FigurePair> MiddleOfAll(const std::vector<Pair>& pairs, const FigureOf& figure_of) {
  std::vector<FigurePair> figures;
  for (const Pair& pair : pairs) {
    figures.push_back({figure_of(pair.run), figure_of(pair.reference), &pair});
  }
  return MiddleOf(std::move(figures));
}

double ShareStopped(const Side& run, double longer_than_ms) {
  const auto counts = VisitsByRow(run.visits);
  double rows = 0;
  for (const Visit& visit : run.visits) {
    if (visit.throttled && visit.latency_us / 1000.0 > longer_than_ms) {
      rows += 1.0 / counts.at(visit.row);
    }
  }
  return counts.empty() ? 0 : rows / static_cast<double>(counts.size());
}

bool HasTail(const Pair& pair, std::size_t requests) {
  return pair.run.visits.size() >= requests && pair.reference.visits.size() >= requests;
}

// All of them as one.
Look Together(std::span<const Look> references) {
  Look all;
  for (const Look& look : references) {
    all.visits.insert(all.visits.end(), look.visits.begin(), look.visits.end());
    all.requests_per_second += look.requests_per_second / static_cast<double>(references.size());
  }
  return all;
}

std::optional<Tail> TailOf(std::vector<Pair> pairs, const Look& run,
                           std::span<const Look> references) {
  const std::size_t needed = RequestsForConfidence(0.99);
  bool counted = std::any_of(pairs.begin(), pairs.end(),
                             [&](const Pair& pair) { return HasTail(pair, needed); });
  if (!counted && references.size() > 1) {
    // Each look may be a few short of them, and they are of the same load.
    Pair together = MakePair(run, Together(references));
    counted = HasTail(together, needed);
    if (counted) pairs = {std::move(together)};
  }
  std::erase_if(pairs,
                [&](const Pair& pair) { return !HasTail(pair, counted ? needed : kLeastForTail); });
  const auto p99 = MiddleOfAll(
      pairs, [](const Side& side) { return side.latencies.QuantileMs(0.99).value_or(0); });
  if (!p99) return std::nullopt;
  Tail tail;
  tail.p99_ms = p99->run;
  tail.reference_p99_ms = p99->reference;
  tail.stopped_share = ShareStopped(p99->pair->run, kTailTolerance * p99->reference + kTailSlackMs);
  tail.slowed_share = ShareStopped(p99->pair->run, kReferenceTolerance * p99->reference);
  tail.counted = counted;
  tail.requests = p99->pair->run.visits.size();
  return tail;
}

}  // namespace

BesideReference Compare(const Look& run, std::span<const Look> references) {
  std::vector<Pair> pairs;
  for (const Look& reference : references) pairs.push_back(MakePair(run, reference));
  const auto has_enough = [](const Pair& pair) {
    return pair.reference.visits.size() >= RequestsForConfidence(0.95);
  };
  if (std::any_of(pairs.begin(), pairs.end(), has_enough)) {
    std::erase_if(pairs, [&](const Pair& pair) { return !has_enough(pair); });
  }
  BesideReference beside;
  std::vector<FigurePair> p95s;
  for (const Pair& pair : pairs) p95s.push_back(P95Of(pair));
  if (const auto p95 = MiddleOf(std::move(p95s))) {
    beside.p95_ms = p95->run;
    beside.reference_p95_ms = p95->reference;
    beside.at_edge = AtEdge(p95->pair->reference.latencies);
  }
  if (const auto rate = MiddleOfAll(pairs, [](const Side& side) { return side.rate; })) {
    beside.rate = rate->run;
    beside.reference_rate = rate->reference;
  }
  beside.tail = TailOf(std::move(pairs), run, references);
  return beside;
}

bool IsSlow(const BesideReference& beside) {
  const bool slow_p95 =
      beside.p95_ms && *beside.p95_ms > kReferenceTolerance * *beside.reference_p95_ms;
  const bool serves_less =
      beside.rate && *beside.rate < kThroughputTolerance * *beside.reference_rate;
  return slow_p95 || serves_less;
}

}  // namespace mlprof::server
