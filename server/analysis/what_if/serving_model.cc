#include "server/analysis/what_if/serving_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "server/analysis/trend.h"

namespace mlprof::server {
namespace {

constexpr std::uint64_t kArrivalSeed = 1;  // any: the same question gets the same answer
// Simulated requests: for a throughput, of which many are fitted, and for a percentile, which takes
// more of them. Chosen, not measured; what-if alone depends on it.
constexpr std::int64_t kRequestsToFit = 200;
constexpr std::int64_t kRequestsToCorrect = 1000;
// A model that is off by more does not describe this server; its correction must not hide that.
constexpr double kLargestCorrection = 3;
// Of the cores that a server was held to. Chosen, not measured.
constexpr double kUsedAll = 0.9;
constexpr std::array<int, 16> kWorkers = {1,  2,  3,  4,  6,   8,   12,  16,
                                          24, 32, 48, 64, 128, 256, 512, 1024};

// The load's mean counts only if no request failed: a failure takes another time than a response.
// Otherwise the rows that were measured one by one tell what a response takes.
double MeanCpuMs(const Profile& profile, const std::optional<Measurements>& load,
                 std::span<const RowRecord> rows) {
  const bool of_load = load && load->cpu_seconds_per_query;
  if (of_load && load->success_queries == load->total_queries) {
    return *load->cpu_seconds_per_query * 1000;
  }
  double sum = 0;
  int known = 0;
  for (const RowRecord& row : rows) {
    if (!row.cpu_ms) continue;
    sum += *row.cpu_ms;
    ++known;
  }
  if (known > 0) return sum / known;
  if (of_load) return *load->cpu_seconds_per_query * 1000;
  return profile.findings.cpu ? profile.findings.cpu->work_ms.value_or(0) : 0;
}

double Parallelism(const Profile& profile, double cpu_ms, double latency_ms, Cores ceiling) {
  double parallelism = 1;
  if (profile.findings.cpu && profile.findings.cpu->parallelism) {
    parallelism = *profile.findings.cpu->parallelism;
  } else if (latency_ms > 0) {
    parallelism = std::max(1.0, std::ceil(cpu_ms / latency_ms - 0.1));
  }
  return std::min(parallelism, std::max(1.0, ceiling.value()));
}

bool IsTimed(const RowRecord& row) { return row.responded() && row.latency_ms.value_or(0) > 0; }

double MeanLatencyMs(const std::optional<Measurements>& load, std::span<const RowRecord> rows) {
  double sum = 0;
  int known = 0;
  for (const RowRecord& row : rows) {
    if (!IsTimed(row)) continue;
    sum += *row.latency_ms;
    ++known;
  }
  if (known > 0) return sum / known;
  return load ? load->average_latency_ms.value_or(0) : 0;
}

RowWork WorkOf(double cpu_ms, double latency_ms, double parallelism) {
  return {cpu_ms, std::max(0.0, latency_ms - cpu_ms / parallelism)};
}

std::vector<RowWork> Works(const Profile& profile, std::span<const RowRecord> rows, double cpu_ms,
                           double latency_ms, double parallelism) {
  std::vector<RowWork> works;
  for (const RowRecord& row : rows) {
    if (!IsTimed(row)) continue;
    const double share = *row.latency_ms / latency_ms;
    works.push_back(WorkOf(row.cpu_ms.value_or(cpu_ms * share), *row.latency_ms, parallelism));
  }
  const auto& curve = profile.findings.cpu;
  if (works.empty() && curve && curve->work_ms && curve->serial_ms) {
    works.push_back({*curve->work_ms, *curve->serial_ms});
  }
  if (works.empty() && latency_ms > 0) works.push_back(WorkOf(cpu_ms, latency_ms, parallelism));
  return works;
}

// Squared logarithms of simulated over measured throughput, over the levels.
double Disagreement(const ServingModel& model, const LoadCurve& curve, Cores cpu) {
  double sum = 0;
  for (const LoadLevel& level : curve.levels) {
    if (level.requests_per_second <= 0) continue;
    const std::int64_t requests = std::max<std::int64_t>(kRequestsToFit, 2L * level.concurrency);
    const double simulated =
        SimulateClosedLoop(model.rows, model.server, cpu, level.concurrency, requests)
            .requests_per_second;
    if (simulated <= 0) continue;
    const double off = std::log(simulated / level.requests_per_second);
    sum += off * off;
  }
  return sum;
}

// Of the cores that a server can use, as far as a curve measured with `cpu` tells it: one that used
// all of these below the ceiling may use more.
std::vector<double> MostCores(double used, Cores cpu, Cores ceiling) {
  std::vector<double> most = {ceiling.value()};
  const bool held_back = cpu < ceiling && used > kUsedAll * cpu.value();
  if (!held_back) most.push_back(std::min(used, ceiling.value()));
  return most;
}

// `cpu`: that the curve was measured with.
void FitServer(const LoadCurve& curve, Cores cpu, ServingModel& model) {
  double used = 0.1;
  int most = 1;
  for (const LoadLevel& level : curve.levels) {
    used = std::max(used, level.cores);
    most = std::max(most, level.concurrency);
  }
  ServerShape best = model.server;
  double least = std::numeric_limits<double>::infinity();
  for (const int workers : kWorkers) {
    if (workers > most) break;
    for (const double cores : MostCores(used, cpu, model.ceiling)) {
      model.server.workers = workers;
      model.server.most_cores = cores;
      const double off = Disagreement(model, curve, cpu);
      // More workers explain as well where nothing was saturated: then they are not what limits.
      if (off > least * 1.001 + 1e-6) continue;
      least = off;
      best = model.server;
    }
  }
  model.server = best;
}

std::map<std::string, double> MeasuredLatencies(const CpuPoint& point) {
  std::map<std::string, double> measured{{"p50", point.p50_ms}, {"p95", point.p95_ms}};
  if (point.p99_ms) measured["p99"] = *point.p99_ms;
  return measured;
}

std::map<std::string, double> MeasuredLatencies(const Measurements& load) {
  return {{"p50", load.latency_p50_ms.value_or(0)},
          {"p90", load.latency_p90_ms.value_or(0)},
          {"p95", load.latency_p95_ms.value_or(0)},
          {"p99", load.latency_p99_ms.value_or(0)}};
}

class Ratios {
 public:
  void Add(const QueueOutcome& simulated, const std::map<std::string, double>& measured) {
    for (const auto& [key, ms] : measured) {
      const double other =
          simulated.latencies.QuantileMs(QuantileOfKey(key).value_or(1)).value_or(0);
      if (ms > 0 && other > 0) ratios_[key].push_back(ms / other);
    }
  }

  std::map<std::string, double> Medians() {
    std::map<std::string, double> medians;
    for (auto& [key, ratios] : ratios_) {
      medians[key] = std::clamp(MedianOf(ratios), 1 / kLargestCorrection, kLargestCorrection);
    }
    for (const char* unknown : {"p90", "p99"}) {
      if (medians.contains("p95")) medians.emplace(unknown, medians.at("p95"));
    }
    return medians;
  }

 private:
  std::map<std::string, std::vector<double>> ratios_;
};

std::map<std::string, double> Corrections(const ServingModel& model, const Profile& profile,
                                          const std::optional<Measurements>& load) {
  Ratios ratios;
  const auto simulate = [&](Cores cpu) {
    return SimulateLoad(model, profile.request.objective, cpu, kRequestsToCorrect);
  };
  if (profile.findings.cpu && !profile.findings.cpu->points.empty()) {
    for (const CpuPoint& point : profile.findings.cpu->points) {
      ratios.Add(simulate(point.cpu), MeasuredLatencies(point));
    }
  } else if (load) {
    const Cores cpu = load->measured_at.cpu() > Cores() ? load->measured_at.cpu() : model.ceiling;
    ratios.Add(simulate(cpu), MeasuredLatencies(*load));
  }
  return ratios.Medians();
}

}  // namespace

Cores CpuCeiling(const Profile& profile) {
  if (profile.request.ceiling.cpu) return *profile.request.ceiling.cpu;
  if (profile.host && profile.host->cores > 0) return Cores::FromTenths(profile.host->cores * 10L);
  return Cores(1.0);
}

Cores CpuOfLoadCurve(const Profile& profile, std::span<const Trial> trials) {
  const auto level = std::find_if(trials.begin(), trials.end(), [](const Trial& trial) {
    return trial.purpose == TrialPurpose::kLoadCurve;
  });
  return level == trials.end() ? CpuCeiling(profile) : level->limits.cpu();
}

std::optional<Measurements> LoadMeasurements(const Profile& profile,
                                             std::span<const Trial> trials) {
  std::optional<Measurements> load = profile.measurements;
  for (const Trial& trial : trials) {
    if (trial.purpose != TrialPurpose::kLoad) continue;
    load = trial.measurements;
    if (!profile.findings.response_cache) break;  // then the last one is of distinct rows
  }
  return load;
}

namespace {

// Where rows that were seen are answered from memory, the rows are what their first visits cost.
std::vector<RowRecord> DistinctRows(const Profile& profile, std::span<const RowRecord> rows) {
  std::vector<RowRecord> distinct(rows.begin(), rows.end());
  if (!profile.findings.response_cache) return distinct;
  for (RowRecord& row : distinct) {
    if (row.first_latency_ms) row.latency_ms = row.first_latency_ms;
    if (row.first_cpu_ms) row.cpu_ms = row.first_cpu_ms;
  }
  return distinct;
}

}  // namespace

std::optional<ServingModel> CalibrateServingModel(const Profile& profile,
                                                  std::span<const Trial> trials,
                                                  std::span<const RowRecord> all_rows) {
  const std::vector<RowRecord> rows = DistinctRows(profile, all_rows);
  const auto load = LoadMeasurements(profile, trials);
  ServingModel model;
  model.ceiling = CpuCeiling(profile);
  model.cpu_ms = MeanCpuMs(profile, load, rows);
  const double latency_ms = MeanLatencyMs(load, rows);
  model.server.parallelism = Parallelism(profile, model.cpu_ms, latency_ms, model.ceiling);
  model.server.most_cores = model.ceiling.value();
  model.server.workers = profile.request.objective.ConcurrencyOrOne();
  model.rows = Works(profile, rows, model.cpu_ms, latency_ms, model.server.parallelism);
  if (model.rows.empty()) return std::nullopt;
  if (profile.findings.load) {
    FitServer(*profile.findings.load, CpuOfLoadCurve(profile, trials), model);
  }
  model.corrections = Corrections(model, profile, load);
  return model;
}

QueueOutcome SimulateLoad(const ServingModel& model, const Objective& load, Cores cpu,
                          std::int64_t requests) {
  if (load.requests_per_second) {
    return SimulateOpenLoop(model.rows, model.server, cpu,
                            {*load.requests_per_second, load.arrivals, kArrivalSeed}, requests);
  }
  return SimulateClosedLoop(model.rows, model.server, cpu, load.ConcurrencyOrOne(), requests);
}

double CorrectedMs(const ServingModel& model, const QueueOutcome& outcome, const std::string& key) {
  const double simulated = outcome.latencies.QuantileMs(QuantileOfKey(key).value_or(1)).value_or(0);
  const auto correction = model.corrections.find(key);
  return correction == model.corrections.end() ? simulated : simulated * correction->second;
}

}  // namespace mlprof::server
