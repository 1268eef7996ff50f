#include "client/cli/output/findings_details.h"

#include <algorithm>

#include "client/cli/output/answer_details.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

constexpr std::size_t kRowsShown = 5;
constexpr double kSmallShare = 0.01;  // not worth a word

std::string Figures(const LoadLevel& level) {
  return Figure(level.requests_per_second) + " requests/s, p95 " + Milliseconds(level.p95_ms) +
         ", " + Figure(level.cores) + " cores used";
}

bool Fails(const LoadLevel& level) { return level.error_rate > kSmallShare; }

// The curve ended before more at a time stopped bringing more.
std::string NoKnee(const LoadCurve& curve) {
  if (curve.levels.empty() || Fails(curve.levels.back())) return "";
  const LoadLevel& last = curve.levels.back();
  return "not reached at " + std::to_string(last.concurrency) + " at a time: " + Figures(last);
}

std::string Knee(const LoadCurve& curve) {
  if (!curve.knee_concurrency) return NoKnee(curve);
  std::string out = std::to_string(*curve.knee_concurrency) + " at a time";
  const auto level = std::find_if(
      curve.levels.begin(), curve.levels.end(),
      [&](const LoadLevel& candidate) { return candidate.concurrency == *curve.knee_concurrency; });
  if (level == curve.levels.end()) return out;
  return out + ": " + Figures(*level) +
         (Fails(curve.levels.back()) ? "; more fail" : "; more only wait longer");
}

std::string Fit(const CpuCurve& curve) {
  if (!curve.serial_ms || !curve.work_ms || !curve.parallelism) return "";
  std::string out;
  if (*curve.serial_ms > kSmallShare * *curve.work_ms) {
    out = Milliseconds(*curve.serial_ms) + " whatever the CPU, and ";
  }
  out += Milliseconds(*curve.work_ms) + " of work for up to " + Text(Cores(*curve.parallelism));
  if (curve.relative_error) out += " (fit off by " + Figure(*curve.relative_error * 100, 2) + "%)";
  return out;
}

std::string Libraries(const ThreadPoolFindings& pools) {
  std::string out;
  for (const std::string& library : pools.libraries) out += (out.empty() ? "" : ", ") + library;
  return out;
}

std::string Seen(const ThreadPoolFindings& pools) {
  std::string out = std::to_string(pools.threads) + " threads";
  if (pools.processes > 1) out += " in " + std::to_string(pools.processes) + " processes";
  const std::string libraries = Libraries(pools);
  return libraries.empty() ? out : out + ", sized by the host (" + libraries + ")";
}

std::string Advice(const ThreadPoolFindings& pools) {
  if (pools.environment.empty()) return "";
  std::string out = Text(pools.environment);
  if (pools.gain) {
    const std::string times = Figure(*pools.gain);
    const bool shorter = *pools.gain > 1 && times != "1";
    out += shorter ? ": p95 " + times + " times shorter" : ": p95 no shorter";
  }
  if (pools.cpu_saved.value_or(0) > 0) out += ", saves " + Text(Cores(*pools.cpu_saved));
  return out +
         (pools.adopted ? "; the answer holds with it" : "; tried, and not part of the answer");
}

std::string FirstVisits(const ColdRows& cold) {
  if (cold.dear_rows == 0) return "";
  std::string out = Milliseconds(cold.average_latency_ms);
  if (cold.cpu_ms_per_row) out += " and " + Milliseconds(*cold.cpu_ms_per_row) + " of CPU a row";
  out += ", later ones " + Milliseconds(cold.warm_average_latency_ms);
  if (cold.warm_cpu_ms_per_row) out += " and " + Milliseconds(*cold.warm_cpu_ms_per_row);
  return out + " (" + std::to_string(cold.dear_rows) + " of " + std::to_string(cold.rows) +
         " rows cost far more the first time)";
}

std::string FromMemory(const ResponseCache& cache) {
  return "seen rows are answered in " + Milliseconds(cache.repeat_latency_ms) + ", new ones in " +
         Milliseconds(cache.first_latency_ms) + ": the answer is for new ones";
}

std::string KeptForRows(const InputGrowth& growth) {
  return Text(Bytes(static_cast<std::int64_t>(growth.bytes_per_row))) +
         " for each distinct row, of which " + std::to_string(growth.rows) + " were sent";
}

std::string Numbers(const std::vector<std::int64_t>& rows) {
  std::string out;
  for (std::size_t i = 0; i < std::min(rows.size(), kRowsShown); ++i) {
    out += (i == 0 ? "" : ", ") + std::to_string(rows[i]);
  }
  if (rows.size() > kRowsShown) {
    out += " and " + std::to_string(rows.size() - kRowsShown) + " more";
  }
  return out;
}

constexpr std::size_t kSavingsShown = 4;

void WriteSavings(const Findings& findings, Details& details) {
  const auto& savings = findings.memory_savings;
  for (std::size_t i = 0; i < std::min(savings.size(), kSavingsShown); ++i) {
    const MemorySaving& saving = savings[i];
    details.Line(i == 0 ? "less memory" : " ",
                 Text(saving.saves) + (saving.measured ? " (measured): " : " (estimated): ") +
                     saving.advice);
  }
}

void WriteRows(const Findings& findings, Details& details) {
  const auto& heavy = findings.heavy_rows;
  for (std::size_t i = 0; i < std::min(heavy.size(), kRowsShown); ++i) {
    details.Line(i == 0 ? "heavy rows" : " ", Text(heavy[i]));
  }
  if (heavy.size() > kRowsShown) {
    details.Line(" ", "and " + std::to_string(heavy.size() - kRowsShown) + " more");
  }
  if (findings.killing_rows.empty()) return;
  details.Line("killing rows", Numbers(findings.killing_rows) +
                                   ": ended the model and were left out of the answer");
}

}  // namespace

std::string Text(const HeavyRow& row) {
  const bool is_time = row.why == "cpu" || row.why == "latency";
  const auto figure = [&](double value) {
    return is_time ? Milliseconds(value) : Text(Bytes(static_cast<std::int64_t>(value)));
  };
  const std::string what = row.why == "cpu" ? "CPU" : row.why;
  return "row " + std::to_string(row.row) + ": " + figure(row.value) + " of " + what + " (median " +
         figure(row.median) + ")";
}

std::string Text(const MemoryFindings& memory) {
  const std::string over = " over " + std::to_string(memory.requests) + " requests";
  if (memory.trend == MemoryTrend::kUnknown) return "not known whether it grows" + over;
  if (memory.trend == MemoryTrend::kFlat) return "does not grow" + over;
  std::string out = "GROWS";
  if (memory.bytes_per_request) {
    out +=
        " by " + Text(Bytes(static_cast<std::int64_t>(*memory.bytes_per_request))) + " a request";
  }
  out += over;
  if (memory.hours_to_out_of_memory) {
    out += "; out of memory after " + Duration(*memory.hours_to_out_of_memory * 3600);
  }
  return out;
}

std::string Text(const OverloadFindings& overload) {
  std::string out;
  if (overload.concurrency) out = "up to " + std::to_string(*overload.concurrency) + " at a time";
  const auto add = [&out](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (overload.max_utilized_memory) add("at most " + Text(*overload.max_utilized_memory));
  if (overload.max_utilized_cpu) add("at most " + Text(Cores(*overload.max_utilized_cpu)));
  return out;
}

void WriteFindings(const Findings& findings, Details& details) {
  Details lines;
  if (findings.memory) lines.Line("memory", Text(*findings.memory));
  if (findings.memory && findings.memory->per_concurrent_request) {
    lines.Line(" ", Text(*findings.memory->per_concurrent_request) + " for each request in flight");
  }
  if (findings.memory && findings.memory->in_flight.value_or(1) > 1) {
    lines.Line(" ", "up to " + std::to_string(*findings.memory->in_flight) +
                        " requests at once: one arrival in 10,000 meets more at most");
  }
  if (findings.input_growth) lines.Line(" ", "keeps " + KeptForRows(*findings.input_growth));
  WriteSavings(findings, lines);
  if (findings.response_cache) lines.Line("response cache", FromMemory(*findings.response_cache));
  if (findings.cold_rows) lines.Line("first visits", FirstVisits(*findings.cold_rows));
  if (findings.load) lines.Line("knee", Knee(*findings.load));
  if (findings.overload) lines.Line("overload took", Text(*findings.overload));
  if (findings.cpu) lines.Line("a request takes", Fit(*findings.cpu));
  if (findings.thread_pools) {
    lines.Line("thread pools", Seen(*findings.thread_pools));
    lines.Line(" ", Advice(*findings.thread_pools));
  }
  WriteRows(findings, lines);
  const std::string text = lines.Take();
  if (text.empty()) return;
  details.Heading("Found");
  details.Plain(text.substr(0, text.size() - 1));
}

}  // namespace mlprof::client::cli
