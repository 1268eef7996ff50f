#include "server/profiling/run/recorded_arrivals.h"

#include <utility>

#include "server/analysis/arrival_trace.h"
#include "server/analysis/sentence.h"
#include "server/registry/dataset_registry.h"

namespace mlprof::server {
namespace {

// No time is longer than so much text on average, with what people write around it.
constexpr Bytes kMostTraceSize = Bytes(64 * static_cast<std::int64_t>(kMostArrivals));

// Before its rows are read: a dataset of bodies may be larger than memory.
Status CheckSize(const Dataset& dataset) {
  const bool many = dataset.row_count > static_cast<std::int64_t>(kMostArrivals);
  if (!many && dataset.size <= kMostTraceSize) return {};
  return Fail(InvalidArgument(Sentence(
      "the trace %s has %lld rows and %.0f MB: at most %zu times of 64 bytes each are a trace",
      dataset.id.c_str(), static_cast<long long>(dataset.row_count),
      static_cast<double>(dataset.size.count()) / 1e6, kMostArrivals)));
}

}  // namespace

Status ReadRecorded(DatasetRegistry& datasets, const std::string& workspace, Objective& objective) {
  Arrivals& arrivals = objective.arrivals;
  if (arrivals.kind != Arrivals::Kind::kTrace) return {};
  MLPROF_LET(dataset, datasets.Get(workspace, arrivals.trace));
  arrivals.trace = dataset.id;
  MLPROF_TRY(CheckSize(dataset));
  MLPROF_LET(rows, datasets.ReadRows(dataset));
  auto times = ReadArrivalTimes(rows);
  if (!times) return Fail(times.error().WithContext("the trace " + dataset.id));
  arrivals.times = std::make_shared<const ArrivalTimes>(*std::move(times));
  if (objective.requests_per_second) return {};
  const double rate = RateOf(*arrivals.times);
  if (rate < kLeastRequestsPerSecond || rate > kMostRequestsPerSecond) {
    return Fail(InvalidArgument(
        Sentence("the trace %s has %.3g requests/s on average, and a rate is from %g to %g: give "
                 "one beside it",
                 dataset.id.c_str(), rate, kLeastRequestsPerSecond, kMostRequestsPerSecond)));
  }
  objective.requests_per_second = rate;
  return {};
}

}  // namespace mlprof::server
