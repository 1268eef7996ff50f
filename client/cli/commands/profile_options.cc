#include "client/cli/commands/profile_options.h"

#include <algorithm>
#include <charconv>

#include "client/cli/commands/header_option.h"
#include "common/domain/limits.h"
#include "common/json/objective_json.h"
#include "common/text/shortest.h"

namespace mlprof::client::cli {
namespace {

// In the words in which the server refuses them.
Status CheckLeast(const char* option, const std::optional<double>& figure, double least) {
  if (!figure || *figure >= least) return {};
  return Fail(InvalidArgument(std::string(option) + " must be at least " + Shortest(least)));
}

Status ReadAccelerator(const Options& options, Accelerator& accelerator) {
  const std::string type =
      options.Has("--accelerator") ? options.Text("--accelerator") : std::string("none");
  MLPROF_LET(count, options.Integer("--accelerator-count", 0));
  if (type == "gpu" || type == "tpu") {
    accelerator.type = type == "gpu" ? AcceleratorType::kGpu : AcceleratorType::kTpu;
    accelerator.count = static_cast<int>(count.value_or(1));
  } else if (type != "none") {
    return Fail(InvalidArgument("--accelerator must be none, gpu or tpu, not '" + type + "'"));
  } else if (count.value_or(0) != 0) {
    return Fail(InvalidArgument("--accelerator-count needs --accelerator gpu or tpu"));
  }
  return {};
}

}  // namespace

Status ReadCeiling(const Options& options, const char* cpu_option, const char* memory_option,
                   Ceiling& ceiling) {
  MLPROF_LET(cpu, options.Number(cpu_option, kAboveZero));
  MLPROF_LET(memory, options.Number(memory_option, kAboveZero));
  MLPROF_TRY(CheckLeast(cpu_option, cpu, kSmallestLimits.cpu().value()));
  MLPROF_TRY(CheckLeast(memory_option, memory, kSmallestLimits.memory().gib()));
  if (cpu) ceiling.cpu = Cores(*cpu);
  if (memory) ceiling.memory = BytesFromGib(*memory);
  return {};
}

std::vector<OptionSpec> ProfileOptions() {
  std::vector<OptionSpec> options = {
      {{"--model", "-m"}, "MODEL", "path (what lies there is taken first), id or name", true},
      {{"--input-dataset-id", "--idi"}, "DATASET", "file (taken first), id or name"},
      HeaderOption(),
      {{"--inference-config-file", "--ic"}, "FILE", "how the model is served (default: as stored)"},
      {{"--name", "-n"}, "NAME", "the profile's name"},
      {{"--description", "-d"}, "TEXT", "what it is for"},
      {{"--cpu"}, "CORES", "the most CPU the answer may have (default: the host's)"},
      {{"--memory-gb"}, "GIB", "the most memory the answer may have (default: the host's)"},
  };
  const std::vector<OptionSpec> objective = ObjectiveOptions();
  options.insert(options.end(), objective.begin(), objective.end());
  options.insert(
      options.end(),
      {
          {{"--accelerator"}, "TYPE", "none, gpu or tpu"},
          {{"--accelerator-count"}, "N", "how many"},
          {{"--runtime"},
           "RUNTIME",
           "must be the server's own; a private one is started with it: docker or process"},
          {{"--budget-seconds"},
           "S",
           "time to find the answer in, a hard end (300 and eight starts)"},
          {{"--seed"}, "N", "of what is drawn by chance (1)"},
          {{"--soak"},
           "S",
           "then the load at the answer for so long (1 to 3600), beside a budget that nobody "
           "named"},
          {{"--when-quiet"}, "", "wait until other work leaves the host quiet"},
          {{"--variants"}, "FILE", "compare the alternatives in it, and rank them by cost"},
          {{"--core-price"}, "P", "of a core-hour, with --variants (1)"},
          {{"--gib-price"}, "P", "of a GiB-hour, with --variants (0.11)"},
          {{"--rank-by"}, "COST", "of millionRequests (the default) or of a replica"},
          {{"--tag-model"}, "", "tag the models with the recommendation"},
          {{"--no-wait"}, "", "queue it and return"},
      });
  return options;
}

Result<ProfileRequest> ProfileRequestOf(const Options& options) {
  ProfileRequest request;
  request.name = options.Text("--name");
  request.description = options.Text("--description");
  request.runtime = options.Text("--runtime");
  MLPROF_TRY(ReadCeiling(options, "--cpu", "--memory-gb", request.ceiling));
  MLPROF_TRY(ApplyObjectiveOptions(options, request.objective));
  MLPROF_TRY(ReadAccelerator(options, request.accelerator));
  MLPROF_LET(budget, options.Integer("--budget-seconds", 1));
  if (budget) request.budget = std::chrono::seconds(*budget);
  request.budget_given = budget.has_value();
  MLPROF_LET(seed, options.Integer("--seed", 0));
  if (seed) request.seed = static_cast<std::uint64_t>(*seed);
  MLPROF_LET(soak, options.Integer("--soak", 1));
  if (soak && *soak > kLongestSoak.count()) {
    return Fail(InvalidArgument("--soak must be a whole number from 1 to " +
                                std::to_string(kLongestSoak.count())));
  }
  if (soak) request.soak = std::chrono::seconds(*soak);
  request.when_quiet = options.Has("--when-quiet");
  return request;
}

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
  // A recorded rate is none of so many at a time.
  if (concurrency) objective.arrivals = Arrivals();
  return {};
}

// poisson, constant, gamma:CV or trace:DATASET
std::optional<Arrivals> ArrivalsOf(std::string_view text) {
  constexpr std::string_view kTrace = "trace:";
  if (text.starts_with(kTrace) && text.size() > kTrace.size()) {
    return Arrivals::Trace(std::string(text.substr(kTrace.size())));
  }
  constexpr std::string_view kGamma = "gamma:";
  if (!text.starts_with(kGamma)) return ParseArrivals(text);
  text.remove_prefix(kGamma.size());
  double cv = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cv);
  const bool number = error == std::errc() && end == text.data() + text.size();
  const bool in_range = cv >= kLeastArrivalsCv && cv <= kMostArrivalsCv;
  return number && in_range ? std::optional(Arrivals::Gamma(cv)) : std::nullopt;
}

Status ApplyArrivals(const Options& options, Objective& objective) {
  if (!options.Has("--arrivals")) return {};
  const auto arrivals = ArrivalsOf(options.Text("--arrivals"));
  if (!arrivals) {
    return Fail(
        InvalidArgument("--arrivals must be poisson, constant, gamma:CV with CV from 0.1 to 10, or "
                        "trace:FILE_OR_DATASET, not '" +
                        options.Text("--arrivals") + "'"));
  }
  // A trace has a rate of its own.
  const bool needs_rate = arrivals->kind != Arrivals::Kind::kTrace || options.Has("--concurrency");
  if (needs_rate && !objective.requests_per_second)
    return Fail(InvalidArgument("--arrivals needs --rps"));
  objective.arrivals = *arrivals;
  if (arrivals->kind == Arrivals::Kind::kTrace && !options.Has("--rps")) {
    objective.concurrency.reset();
    objective.requests_per_second.reset();
  }
  return {};
}

Status ApplyLatency(const Options& options, Objective& objective) {
  for (const char* percentile : {"p50", "p90", "p95", "p99"}) {
    MLPROF_LET(ms, options.Number("--" + std::string(percentile) + "-ms", kAboveZero));
    if (ms) objective.latency_ms[percentile] = *ms;
  }
  return {};
}

Status ApplyConnections(const Options& options, Objective& objective) {
  if (!options.Has("--connections")) return {};
  const std::string name = options.Text("--connections");
  objective.connections = ParseConnections(name);
  if (objective.connections) return {};
  return Fail(
      InvalidArgument("--connections must be keepAlive, perRequest or both, not '" + name + "'"));
}

Status ApplyErrorRate(const Options& options, Objective& objective) {
  MLPROF_LET(rate, options.Number("--max-error-rate", 0));
  if (rate && *rate > 1) return Fail(InvalidArgument("--max-error-rate must be from 0 to 1"));
  if (rate) objective.max_error_rate = *rate;
  return {};
}

Status ApplyStart(const Options& options, Objective& objective) {
  MLPROF_LET(seconds, options.Number("--start-within-seconds", kAboveZero));
  if (seconds) objective.start_within_seconds = *seconds;
  return {};
}

}  // namespace

std::vector<OptionSpec> ObjectiveOptions() {
  return {
      {{"--concurrency"}, "N", "requests in flight (1)"},
      {{"--rps"}, "R", "requests per second, sent when they are due"},
      {{"--arrivals"},
       "HOW",
       "of --rps: poisson (at random, the default), constant, gamma:CV, or trace:FILE of recorded "
       "times, a second or an RFC 3339 time a line"},
      {{"--connections"}, "HOW", "keepAlive, perRequest or both (both where workers fork)"},
      {{"--p50-ms"}, "MS", "latency to hold"},
      {{"--p90-ms"}, "MS", "latency to hold"},
      {{"--p95-ms"}, "MS", "latency to hold"},
      {{"--p99-ms"}, "MS", "latency to hold"},
      {{"--max-error-rate"}, "SHARE", "share of requests that may fail, 0 to 1 (0)"},
      {{"--start-within-seconds"}, "S", "in which a container must be ready to serve"},
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
  MLPROF_TRY(ApplyConnections(options, objective));
  MLPROF_TRY(ApplyLatency(options, objective));
  MLPROF_TRY(ApplyErrorRate(options, objective));
  return ApplyStart(options, objective);
}

}  // namespace mlprof::client::cli
