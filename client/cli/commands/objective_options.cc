#include "client/cli/commands/objective_options.h"

#include <algorithm>

#include "common/json/objective_json.h"

namespace mlprof::client::cli {
namespace {

constexpr std::int64_t kMostConcurrency = 1'000'000;  // fits an int; the server says what it takes

Status ApplyLoad(const Options& options, Objective& objective) {
  MLPROF_LET(concurrency, options.Integer("--concurrency", 1));
  MLPROF_LET(rate, options.Number("--rps", kAboveZero));
  if (concurrency && rate) {
    return Fail(InvalidArgument("--concurrency and --rps exclude each other"));
  }
  if (concurrency && *concurrency > kMostConcurrency) {
    return Fail(InvalidArgument("--concurrency is too large"));
  }
  if (!concurrency && !rate) return {};
  objective.concurrency =
      concurrency ? std::optional(static_cast<int>(*concurrency)) : std::nullopt;
  objective.requests_per_second = rate;
  return {};
}

Status ApplyArrivals(const Options& options, Objective& objective) {
  if (!options.Has("--arrivals")) return {};
  const auto arrivals = ParseArrivals(options.Text("--arrivals"));
  if (!arrivals) {
    return Fail(InvalidArgument("--arrivals must be poisson or constant, not '" +
                                options.Text("--arrivals") + "'"));
  }
  if (!objective.requests_per_second) return Fail(InvalidArgument("--arrivals needs --rps"));
  objective.arrivals = *arrivals;
  return {};
}

Status ApplyLatency(const Options& options, Objective& objective) {
  for (const char* percentile : {"p50", "p90", "p95", "p99"}) {
    MLPROF_LET(ms, options.Number("--" + std::string(percentile) + "-ms", kAboveZero));
    if (ms) objective.latency_ms[percentile] = *ms;
  }
  return {};
}

Status ApplyErrorRate(const Options& options, Objective& objective) {
  MLPROF_LET(rate, options.Number("--max-error-rate", 0));
  if (rate && *rate > 1) return Fail(InvalidArgument("--max-error-rate must be from 0 to 1"));
  if (rate) objective.max_error_rate = *rate;
  return {};
}

}  // namespace

std::vector<OptionSpec> ObjectiveOptions() {
  return {
      {{"--concurrency"}, "N", "requests in flight (1)"},
      {{"--rps"}, "R", "requests per second, sent when they are due"},
      {{"--arrivals"}, "HOW", "of --rps: poisson (at random, the default) or constant"},
      {{"--p50-ms"}, "MS", "latency to hold"},
      {{"--p90-ms"}, "MS", "latency to hold"},
      {{"--p95-ms"}, "MS", "latency to hold"},
      {{"--p99-ms"}, "MS", "latency to hold"},
      {{"--max-error-rate"}, "SHARE", "share of requests that may fail, 0 to 1 (0)"},
  };
}

bool HasObjectiveOptions(const Options& options) {
  const std::vector<OptionSpec> specs = ObjectiveOptions();
  return std::any_of(specs.begin(), specs.end(),
                     [&](const OptionSpec& spec) { return options.Has(spec.names[0]); });
}

Status ApplyObjectiveOptions(const Options& options, Objective& objective) {
  MLPROF_TRY(ApplyLoad(options, objective));
  MLPROF_TRY(ApplyArrivals(options, objective));
  MLPROF_TRY(ApplyLatency(options, objective));
  return ApplyErrorRate(options, objective);
}

}  // namespace mlprof::client::cli
