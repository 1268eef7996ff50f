#include "server/profiling/run/cold_warnings.h"

#include <algorithm>

#include "server/analysis/first_visits.h"
#include "server/analysis/sentence.h"
#include "server/profiling/run/answer.h"

namespace mlprof::server {
namespace {

// As an example of what more rows would keep: more than most test sets have.
constexpr std::int64_t kManyRows = 10'000;

std::string CpuText(const std::optional<double>& ms) {
  return ms ? Sentence(" and %.3g ms of CPU", *ms) : "";
}

// The CPU time is stretched by a limit below one core, the rest is not.
double SecondsAt(Cores cpu, const ColdRows& cold) {
  const double work_ms = cold.cpu_ms_per_row.value_or(cold.average_latency_ms);
  const double wait_ms = std::max(0.0, cold.average_latency_ms - work_ms);
  const double share = std::min(1.0, cpu.value());
  return std::max(cold.average_latency_ms, wait_ms + work_ms / share) / 1000;
}

Warning ColdRowsWarning(const RunFacts& facts, const ColdRows& cold) {
  std::string message = Sentence(
      "the first visit of a row takes %.3g ms%s on average, a later one %.3g ms%s; %lld of %lld "
      "rows "
      "cost far more the first time",
      cold.average_latency_ms, CpuText(cold.cpu_ms_per_row).c_str(), cold.warm_average_latency_ms,
      CpuText(cold.warm_cpu_ms_per_row).c_str(), static_cast<long long>(cold.dear_rows),
      static_cast<long long>(cold.rows));
  if (const auto answer = AnswerOf(facts)) {
    const Cores cpu = answer->requested.cpu();
    message += Sentence(
        "; with %.1f cores a row, or a shape of row, that the process has not seen takes about "
        "%.2g "
        "s. The limits are for rows that it has seen",
        cpu.value(), SecondsAt(cpu, cold));
  }
  return {
      "coldRows", message,
      "send every shape of row once before a replica takes traffic, pad the rows to few shapes, "
      "or compile ahead"};
}

Warning ResponseCacheWarning(const ResponseCache& cache, const std::optional<Trial>& distinct) {
  std::string message = Sentence(
      "rows that were answered before are answered from memory, or without the work of the first "
      "time: %.3g ms%s the first time, %.3g ms from then on",
      cache.first_latency_ms, CpuText(cache.first_cpu_ms).c_str(), cache.repeat_latency_ms);
  message += "; the limits are for distinct rows";
  if (distinct && distinct->measurements.queries_per_second) {
    message += Sentence(", of which it serves %.3g a second without a limit",
                        *distinct->measurements.queries_per_second);
  }
  return {
      "responseCache", message,
      "if production repeats its requests less is enough: profile with rows that repeat as they "
      "do there under another name, and compare"};
}

Warning GrowthWarning(const InputGrowth& growth) {
  const std::int64_t many = std::max(kManyRows, 10 * growth.rows);
  const double mib = growth.bytes_per_row * static_cast<double>(many) / (1024 * 1024);
  return {
      "growsWithInputs",
      Sentence("%lld distinct rows were sent, and for each the model keeps %.3g KiB; it keeps "
               "nothing when they come again. The limits hold those rows; %lld distinct ones "
               "would take %.0f MiB, and no bound was met",
               static_cast<long long>(growth.rows), growth.bytes_per_row / 1024,
               static_cast<long long>(many), mib),
      "give the cache a bound, or profile with as many distinct rows as one replica sees between "
      "two restarts"};
}

}  // namespace

std::vector<Warning> ColdWarnings(const RunFacts& facts) {
  std::vector<Warning> warnings;
  if (facts.warm_up && facts.warm_up->cache) {
    warnings.push_back(ResponseCacheWarning(*facts.warm_up->cache,
                                            facts.distinct ? facts.distinct->trial : std::nullopt));
  } else if (facts.row_pass && facts.row_pass->cold && FirstVisitsAreDear(*facts.row_pass->cold)) {
    warnings.push_back(ColdRowsWarning(facts, *facts.row_pass->cold));
  }
  if (facts.row_pass && facts.row_pass->growth) {
    warnings.push_back(GrowthWarning(*facts.row_pass->growth));
  }
  return warnings;
}

}  // namespace mlprof::server
