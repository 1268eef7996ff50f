#include "server/analysis/measured_range.h"

#include <algorithm>
#include <optional>

#include "server/analysis/latency.h"
#include "server/analysis/sentence.h"

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
  double highest_throughput = 0;
  int highest_concurrency = 0;
  std::optional<Cores> lowest_cpu;
  std::optional<Cores> highest_cpu;
  std::int64_t most_requests = 0;
  double error_rate = 0;  // of the run that the answer stands on

  void AddCpu(Cores cpu) {
    lowest_cpu = std::min(lowest_cpu.value_or(cpu), cpu);
    highest_cpu = std::max(highest_cpu.value_or(cpu), cpu);
  }

  void AddRun(const Measurements& run) {
    highest_throughput = std::max(highest_throughput, run.queries_per_second.value_or(0));
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
    if (trial.requests_per_second) continue;
    range.highest_concurrency = std::max(range.highest_concurrency, trial.concurrency);
  }
  if (profile.findings.load) {
    for (const LoadLevel& level : profile.findings.load->levels) {
      range.highest_throughput = std::max(range.highest_throughput, level.requests_per_second);
      range.highest_concurrency = std::max(range.highest_concurrency, level.concurrency);
    }
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

void NoteLoad(const Range& range, const Objective& objective, std::vector<std::string>& notes) {
  const auto& rate = objective.requests_per_second;
  if (rate && *rate > range.highest_throughput) {
    notes.push_back(
        Sentence("%.1f requests per second are more than the highest measured throughput, %.1f",
                 *rate, range.highest_throughput));
  }
  if (!rate && objective.ConcurrencyOrOne() > range.highest_concurrency) {
    notes.push_back(
        Sentence("%d requests in flight are more than the highest measured concurrency, %d",
                 objective.ConcurrencyOrOne(), range.highest_concurrency));
  }
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

}  // namespace

std::vector<std::string> OutsideOfMeasured(const Profile& profile, std::span<const Trial> trials,
                                           const Objective& objective, Cores cpu) {
  const Range range = RangeOf(profile, trials);
  std::vector<std::string> notes;
  NoteLoad(range, objective, notes);
  NoteCpu(range, cpu, notes);
  NotePercentiles(range, objective, notes);
  if (range.error_rate > objective.max_error_rate) {
    notes.push_back(Sentence("%.2f%% of the measured requests failed, %.2f%% are allowed",
                             range.error_rate * 100, objective.max_error_rate * 100));
  }
  return notes;
}

}  // namespace mlprof::server
