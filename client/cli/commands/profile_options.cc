#include "client/cli/commands/profile_options.h"

#include <limits>

#include "common/json/objective_json.h"

namespace mlprof::cli {
namespace {

constexpr double kAboveZero = std::numeric_limits<double>::min();

Status ReadCeiling(const Options& options, Ceiling& ceiling) {
  const auto cpu = options.Number("--cpu", kAboveZero);
  if (!cpu) return Fail(cpu.error());
  const auto memory = options.Number("--memory-gb", kAboveZero);
  if (!memory) return Fail(memory.error());
  if (*cpu) ceiling.cpu = Cores(**cpu);
  if (*memory) ceiling.memory = BytesFromGib(**memory);
  return {};
}

Status ReadArrivals(const Options& options, Objective& objective) {
  if (!options.Has("--arrivals")) return {};
  const auto arrivals = ParseArrivals(options.Text("--arrivals"));
  if (!arrivals) {
    return Fail(InvalidArgument("--arrivals must be poisson or constant, not '" +
                                options.Text("--arrivals") + "'"));
  }
  if (!options.Has("--rps")) return Fail(InvalidArgument("--arrivals needs --rps"));
  objective.arrivals = *arrivals;
  return {};
}

Status ReadObjective(const Options& options, Objective& objective) {
  const auto concurrency = options.Integer("--concurrency", 1);
  if (!concurrency) return Fail(concurrency.error());
  const auto rate = options.Number("--rps", kAboveZero);
  if (!rate) return Fail(rate.error());
  if (*concurrency && *rate) {
    return Fail(InvalidArgument("--concurrency and --rps exclude each other"));
  }
  if (*concurrency && **concurrency > 1'000'000) {
    return Fail(InvalidArgument("--concurrency is too large"));
  }
  if (*concurrency) objective.concurrency = static_cast<int>(**concurrency);
  objective.requests_per_second = *rate;
  MLPROF_TRY(ReadArrivals(options, objective));
  for (const char* percentile : {"p50", "p90", "p95", "p99"}) {
    const auto ms = options.Number("--" + std::string(percentile) + "-ms", kAboveZero);
    if (!ms) return Fail(ms.error());
    if (*ms) objective.latency_ms[percentile] = **ms;
  }
  const auto error_rate = options.Number("--max-error-rate", 0);
  if (!error_rate) return Fail(error_rate.error());
  if (*error_rate && **error_rate > 1) {
    return Fail(InvalidArgument("--max-error-rate must be from 0 to 1"));
  }
  objective.max_error_rate = error_rate->value_or(0);
  return {};
}

Status ReadAccelerator(const Options& options, Accelerator& accelerator) {
  const std::string type =
      options.Has("--accelerator") ? options.Text("--accelerator") : std::string("none");
  const auto count = options.Integer("--accelerator-count", 0);
  if (!count) return Fail(count.error());
  if (type == "gpu" || type == "tpu") {
    accelerator.type = type == "gpu" ? AcceleratorType::kGpu : AcceleratorType::kTpu;
    accelerator.count = static_cast<int>(count->value_or(1));
  } else if (type != "none") {
    return Fail(InvalidArgument("--accelerator must be none, gpu or tpu, not '" + type + "'"));
  } else if (count->value_or(0) != 0) {
    return Fail(InvalidArgument("--accelerator-count needs --accelerator gpu or tpu"));
  }
  return {};
}

}  // namespace

std::vector<OptionSpec> ProfileOptions() {
  return {
      {{"--model", "-m"}, "MODEL", "id, name or path of a model", true},
      {{"--input-dataset-id", "--idi"}, "DATASET", "id, name or file of the request bodies"},
      {{"--inference-config-file", "--ic"}, "FILE", "how the model is served (default: as stored)"},
      {{"--name", "-n"}, "NAME", "the profile's name"},
      {{"--description", "-d"}, "TEXT", "what it is for"},
      {{"--cpu"}, "CORES", "the most CPU the answer may have (default: the host's)"},
      {{"--memory-gb"}, "GIB", "the most memory the answer may have (default: the host's)"},
      {{"--concurrency"}, "N", "requests in flight (1)"},
      {{"--rps"}, "R", "requests per second, sent when they are due"},
      {{"--arrivals"}, "HOW", "of --rps: poisson (at random, the default) or constant"},
      {{"--p50-ms"}, "MS", "latency to hold"},
      {{"--p90-ms"}, "MS", "latency to hold"},
      {{"--p95-ms"}, "MS", "latency to hold"},
      {{"--p99-ms"}, "MS", "latency to hold"},
      {{"--max-error-rate"}, "SHARE", "share of requests that may fail, 0 to 1 (0)"},
      {{"--accelerator"}, "TYPE", "none, gpu or tpu"},
      {{"--accelerator-count"}, "N", "how many"},
      {{"--runtime"}, "RUNTIME", "must be the server's own"},
      {{"--budget-seconds"}, "S", "time to find the answer in (300)"},
      {{"--seed"}, "N", "of what is drawn by chance (1)"},
      {{"--variants"}, "FILE", "comes with a later version"},
      {{"--tag-model"}, "", "tag the models with the recommendation"},
      {{"--no-wait"}, "", "queue it and return"},
  };
}

Result<ProfileRequest> ProfileRequestOf(const Options& options) {
  ProfileRequest request;
  request.name = options.Text("--name");
  request.description = options.Text("--description");
  request.runtime = options.Text("--runtime");
  MLPROF_TRY(ReadCeiling(options, request.ceiling));
  MLPROF_TRY(ReadObjective(options, request.objective));
  MLPROF_TRY(ReadAccelerator(options, request.accelerator));
  const auto budget = options.Integer("--budget-seconds", 1);
  if (!budget) return Fail(budget.error());
  if (*budget) request.budget = std::chrono::seconds(**budget);
  const auto seed = options.Integer("--seed", 0);
  if (!seed) return Fail(seed.error());
  if (*seed) request.seed = static_cast<std::uint64_t>(**seed);
  return request;
}

}  // namespace mlprof::cli
