#include "server/analysis/what_if/measured_range.h"

#include <algorithm>
#include <optional>

#include "server/analysis/latency.h"
#include "server/analysis/sentence.h"
#include "server/analysis/what_if/serving_model.h"

namespace mlprof::server {
namespace {

bool UnderLoad(const Trial& trial) {
  switch (trial.purpose) {
    case TrialPurpose::kLoad:
    case TrialPurpose::kLoadCurve:
    case TrialPurpose::kCpuProbe:
    case TrialPurpose::kVerification:
    case TrialPurpose::kTightness:
    case TrialPurpose::kThreadPools: return true;
    default: return false;
  }
}

struct Range {
  std::optional<Cores> lowest_cpu;
  std::optional<Cores> highest_cpu;
  std::int64_t most_requests = 0;
  double error_rate = 0;  // of the run that the answer stands on

  void AddCpu(Cores cpu) {
    lowest_cpu = std::min(lowest_cpu.value_or(cpu), cpu);
    highest_cpu = std::max(highest_cpu.value_or(cpu), cpu);
  }

  void AddRun(const Measurements& run) {
    most_requests = std::max(most_requests, run.success_queries);
  }
};

double ErrorRate(const Measurements& run) {
  if (run.total_queries == 0) return 0;
  return 1 - static_cast<double>(run.success_queries) / static_cast<double>(run.total_queries);
}

Range RangeOf(const Profile& profile, std::span<const Trial> trials) {
  Range range;
  for (const Trial& trial : trials) {
    if (!UnderLoad(trial) || trial.measurements.total_queries == 0) continue;
    // More load than held tells nothing of what holds.
    if (trial.purpose == TrialPurpose::kLoadCurve && !trial.passed) continue;
    range.AddRun(trial.measurements);
    range.AddCpu(trial.limits.cpu());
  }
  if (profile.findings.cpu) {
    for (const CpuPoint& point : profile.findings.cpu->points) range.AddCpu(point.cpu);
  }
  if (profile.measurements) {
    range.AddRun(*profile.measurements);
    range.error_rate = ErrorRate(*profile.measurements);
  }
  return range;
}

void NoteCpu(const Range& range, Cores cpu, std::vector<std::string>& notes) {
  if (!range.lowest_cpu) {
    notes.push_back("no CPU limit was probed under load");
  } else if (cpu < *range.lowest_cpu || cpu > *range.highest_cpu) {
    notes.push_back(Sentence("%.1f cores are outside the probed range, %.1f to %.1f", cpu.value(),
                             range.lowest_cpu->value(), range.highest_cpu->value()));
  }
}

void NotePercentiles(const Range& range, const Objective& objective,
                     std::vector<std::string>& notes) {
  for (const auto& [key, ms] : objective.latency_ms) {
    const auto needed =
        static_cast<std::int64_t>(RequestsForConfidence(QuantileOfKey(key).value_or(0.5)));
    if (needed <= range.most_requests) continue;
    notes.push_back(Sentence("%s takes %lld requests to tell, one run had at most %lld",
                             key.c_str(), static_cast<long long>(needed),
                             static_cast<long long>(range.most_requests)));
  }
}

// Beyond this share of errors a level of the load curve served nobody (load_curve.cc).
constexpr double kMostErrors = 0.01;

HeldLoad LoadOfTrial(const Trial& trial) {
  HeldLoad load;
  load.run.limits = trial.limits;
  if (!trial.requests_per_second) load.run.concurrency = trial.concurrency;
  load.run.requests_per_second = trial.requests_per_second;
  load.run.latency_p95_ms = trial.measurements.latency_p95_ms;
  load.run.queries_per_second = trial.measurements.queries_per_second;
  load.per_second = trial.measurements.queries_per_second.value_or(0);
  // Random arrivals come slower than their mean for a while, too: a run that passed kept up with
  // its rate. The reference at the ceiling is judged by nothing.
  if (trial.purpose != TrialPurpose::kLoad) {
    load.per_second = std::max(load.per_second, trial.requests_per_second.value_or(0));
  }
  return load;
}

// How much of the objective's kind of load it was; nullopt of another kind.
std::optional<double> AmountOf(const HeldLoad& load, const Objective& objective) {
  if (objective.requests_per_second) return load.per_second;
  if (!load.run.concurrency) return std::nullopt;
  return *load.run.concurrency;
}

// Of the rate, the rows in flight or the p95 that are asked for; empty where it lacks none of
// these.
std::string ShortOf(const NearestRun& run, const Objective& asked) {
  const auto& rate = asked.requests_per_second;
  // Of random arrivals a few less come than were asked for: a run that held has its own rate.
  const double kept_up =
      std::max(run.queries_per_second.value_or(0), run.requests_per_second.value_or(0));
  if (rate && run.queries_per_second && kept_up < *rate) {
    return Sentence("it served %.1f of the %.1f requests/s that are asked for",
                    *run.queries_per_second, *rate);
  }
  if (!rate && run.concurrency && *run.concurrency < asked.ConcurrencyOrOne()) {
    return Sentence("it had %d of the %d requests in flight that are asked for", *run.concurrency,
                    asked.ConcurrencyOrOne());
  }
  const auto limit = asked.latency_ms.find("p95");
  if (limit != asked.latency_ms.end() && run.latency_p95_ms.value_or(0) > limit->second) {
    return Sentence("its p95 was %.1f ms, %.1f ms are asked for", *run.latency_p95_ms,
                    limit->second);
  }
  return "";
}

}  // namespace

MeasuredLoads LoadsOf(const Profile& profile, std::span<const Trial> trials) {
  MeasuredLoads loads;
  for (const Trial& trial : trials) {
    // What a limit did not hold tells nothing of what holds.
    const bool counts = UnderLoad(trial) && trial.measurements.success_queries > 0;
    if (counts && trial.passed) loads.held.push_back(LoadOfTrial(trial));
  }
  if (!profile.findings.load) return loads;
  const Limits of_curve{
      CpuOfLoadCurve(profile, trials),
      profile.request.ceiling.memory.value_or(profile.host ? profile.host->memory : Bytes())};
  for (const LoadLevel& level : profile.findings.load->levels) {
    if (level.error_rate > kMostErrors) continue;
    HeldLoad load{{}, level.requests_per_second};
    load.run.limits = of_curve;
    load.run.concurrency = level.concurrency;
    load.run.queries_per_second = level.requests_per_second;
    if (level.p95_ms > 0) load.run.latency_p95_ms = level.p95_ms;
    loads.held.push_back(load);
  }
  return loads;
}

double MeasuredLoads::HighestThroughput() const {
  double highest = 0;
  for (const HeldLoad& load : held) highest = std::max(highest, load.per_second);
  return highest;
}

int MeasuredLoads::HighestConcurrency() const {
  int highest = 0;
  for (const HeldLoad& load : held) {
    highest = std::max(highest, load.run.concurrency.value_or(0));
  }
  return highest;
}

std::optional<NearestRun> MeasuredLoads::Nearest(const Objective& objective) const {
  const double wanted = objective.requests_per_second.value_or(objective.ConcurrencyOrOne());
  const HeldLoad* nearest = nullptr;
  double most = 0;
  for (const HeldLoad& load : held) {
    const auto amount = AmountOf(load, objective);
    if (!amount) continue;
    const bool nearer = most < wanted ? *amount > most : *amount >= wanted && *amount < most;
    if (nearest != nullptr && !nearer) continue;
    nearest = &load;
    most = *amount;
  }
  if (nearest == nullptr) return std::nullopt;
  NearestRun run = nearest->run;
  run.short_of = ShortOf(run, objective);
  return run;
}

std::optional<std::string> MoreThanMeasured(const MeasuredLoads& loads,
                                            const Objective& objective) {
  const auto& rate = objective.requests_per_second;
  if (rate && *rate > loads.HighestThroughput()) {
    return Sentence("%.1f requests per second are more than the highest measured throughput, %.1f",
                    *rate, loads.HighestThroughput());
  }
  if (!rate && objective.ConcurrencyOrOne() > loads.HighestConcurrency()) {
    return Sentence("%d requests in flight are more than the highest measured concurrency, %d",
                    objective.ConcurrencyOrOne(), loads.HighestConcurrency());
  }
  return std::nullopt;
}

std::vector<std::string> OutsideOfMeasured(const Profile& profile, std::span<const Trial> trials,
                                           const Objective& objective, Cores cpu) {
  const Range range = RangeOf(profile, trials);
  std::vector<std::string> notes;
  NoteCpu(range, cpu, notes);
  NotePercentiles(range, objective, notes);
  if (range.error_rate > objective.max_error_rate) {
    notes.push_back(Sentence("%.2f%% of the measured requests failed, %.2f%% are allowed",
                             range.error_rate * 100, objective.max_error_rate * 100));
  }
  return notes;
}

}  // namespace mlprof::server
