#include "server/profiling/phases/cold_starts.h"

#include <algorithm>
#include <cstdio>

#include "server/analysis/limit_search.h"
#include "server/analysis/start_cost.h"
#include "server/profiling/phases/refused_folder.h"

namespace mlprof::server::phases {
namespace {

constexpr int kStarts = 3;
constexpr int kMoreStarts = 5;
// The containers that prove the answer are cold starts, too: here they are repeated only where that
// is quick. Chosen, not measured.
constexpr double kQuickStarts = 3;  // seconds, of all
// A wider spread is worth two starts more. One model's starts are known to spread by 41%
// (docs/decisions, 14).
constexpr double kWideSpread = 0.10;
// How long a server is watched once it is ready, by how long its start took. Chosen, not measured.
constexpr std::chrono::seconds kShortestWatch{1};
constexpr std::chrono::seconds kLongestWatch{10};
constexpr std::chrono::milliseconds kWatchStep{100};

void Add(const agent_protocol::Ready& ready, StartFacts& facts) {
  facts.ready = ready;
  facts.peaks.push_back(ready.peak_unreclaimable);
  facts.seconds.push_back(std::chrono::duration<double>(ready.took).count());
  facts.cpu_seconds.push_back(std::chrono::duration<double>(ready.cpu_time).count());
}

PhaseResult<void> StartOnce(Lab& lab, Ample& ample, StartFacts& facts) {
  if (auto launched = ample.Launch(PageCache::kCold); !launched) return launched;
  Container& container = ample.container();
  lab.budget().Begin();
  const Timestamp began = Now();
  const auto ready = container.StartWhole();
  if (ready) {
    Add(*ready, facts);
    lab.Record(StartTrial(container, began, *ready));
    return {};
  }
  if (lab.stopped()) return Canceled();
  const DeathEvidence& death = ready.error();
  const bool starved = death.oom_kills > 0 || death.thrashing;
  if (!starved && container.RanOutOfBudget()) {
    return TimedOut("the budget was used up before the model was ready");
  }
  ProfileError error = DiagnoseDeath(death);
  lab.Record(FailedStartTrial(lab.ceiling(), began, error.message));
  container.Close();
  MLPROF_LET(write, FindRefusedFolder(lab, ample.setup(), death, error));
  if (write) {
    ample.GiveFolder(*write);
    return StartOnce(lab, ample, facts);
  }
  if (starved) return SearchFirstStart(lab, ample.setup(), std::move(error));
  return FailRun(error);
}

Bytes Median(std::vector<Bytes> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool SpreadIsWide(const std::vector<Bytes>& peaks) {
  const auto [least, most] = std::minmax_element(peaks.begin(), peaks.end());
  return *most - *least > Scale(Median(peaks), kWideSpread);
}

}  // namespace

PhaseResult<StartFacts> ColdStarts(Lab& lab, Ample& ample) {
  StartFacts facts;
  const auto began = lab.clock().Now();
  int starts = kStarts;
  for (int i = 0; i < starts; ++i) {
    lab.Progressed(static_cast<double>(i) / starts,
                   "start " + std::to_string(i + 1) + " of " + std::to_string(starts));
    if (auto started = StartOnce(lab, ample, facts); !started) {
      return tl::unexpected<RunEnd>(started.error());
    }
    const auto spent = lab.clock().Now() - began;
    if (spent * (i + 2) / (i + 1) > lab.budget().For(Spend::kStarts)) break;
    if (i == 0 && facts.seconds.front() * kStarts > kQuickStarts) break;
    if (i + 1 == kStarts && SpreadIsWide(facts.peaks)) starts = kMoreStarts;
  }
  return facts;
}

std::vector<StartTime> TimesOf(const StartFacts& starts) {
  std::vector<StartTime> times;
  for (std::size_t i = 0; i < starts.seconds.size(); ++i) {
    times.push_back({starts.seconds[i], starts.cpu_seconds[i]});
  }
  return times;
}

Cores LeastCpuToStart(const StartFacts& starts, const Objective& objective,
                      std::chrono::seconds start_timeout, Cores ceiling) {
  const double allowed = std::chrono::duration<double>(start_timeout).count();
  const double within = std::min(objective.start_within_seconds.value_or(allowed), allowed);
  Cores least;
  for (const StartTime& start : TimesOf(starts)) {
    least = std::max(least, CoresToStart(start, within, ceiling));
  }
  return least;
}

Bytes SpreadOf(std::vector<Bytes> peaks) {
  if (peaks.empty()) return {};
  const Bytes most = *std::max_element(peaks.begin(), peaks.end());
  return most - Median(std::move(peaks));
}

MeasuredNeed NeedOfStart(const StartFacts& starts) {
  MeasuredNeed need;
  need.cpu.to_start = starts.least_cpu;
  need.memory.start_peak = *std::max_element(starts.peaks.begin(), starts.peaks.end());
  need.memory.start_spread = SpreadOf(starts.peaks);
  return need;
}

namespace {

std::string InGb(Bytes bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", bytes.gib());
  return text;
}

// A server is ready with its first worker, while others still load what kills them: as long again
// shows that.
bool StaysWhole(const Lab& lab, const Container& container, std::chrono::nanoseconds took) {
  const MonotonicClock& clock = lab.clock();
  const auto until =
      clock.Now() + std::clamp<std::chrono::nanoseconds>(took, kShortestWatch, kLongestWatch);
  while (container.OomKills() == 0 && !lab.stopped() && clock.Now() < until) {
    clock.SleepUntil(clock.Now() + kWatchStep);
  }
  return container.OomKills() == 0;
}

// Whether the model got ready with so much memory.
PhaseResult<bool> Starts(Lab& lab, const Setup& setup, Bytes memory) {
  const Limits limits = lab.ceiling().With(memory);
  lab.Progressed(0.5, "starting the model with " + InGb(memory) + " GiB");
  MLPROF_LET(container,
             lab.Launch({limits, setup, lab.NextSeed(), PageCache::kCold, Use::kObjective}));
  const Timestamp began = Now();
  const auto ready = container->StartWhole();
  const bool late = !ready && container->RanOutOfBudget();
  const bool whole = ready && StaysWhole(lab, *container, ready->took);
  const Trial trial =
      whole ? StartTrial(*container, began, *ready)
            : FailedStartTrial(limits, began,
                               DiagnoseDeath(ready ? container->Death() : ready.error()).message);
  if (!late && !lab.stopped()) lab.Record(trial);
  container->Close();
  if (lab.stopped()) return Canceled();
  if (late) {
    return TimedOut("the budget was used up before the first memory limit that loads was found");
  }
  return whole;
}

}  // namespace

Trial StartTrial(const Container& container, Timestamp began, const agent_protocol::Ready& ready) {
  Trial trial;
  trial.purpose = TrialPurpose::kColdStart;
  trial.limits = container.limits();
  trial.started = began;
  trial.environment = container.environment();
  trial.passed = true;
  trial.verdict = "ready";
  trial.seconds = std::chrono::duration<double>(ready.took).count();
  trial.measurements.measured_at = trial.limits;
  trial.measurements.start_seconds = trial.seconds;
  trial.measurements.start_cpu_seconds = std::chrono::duration<double>(ready.cpu_time).count();
  trial.measurements.start_peak_memory = ready.peak_unreclaimable;
  return trial;
}

Trial FailedStartTrial(const Limits& limits, Timestamp began, const std::string& why) {
  Trial trial;
  trial.purpose = TrialPurpose::kColdStart;
  trial.limits = limits;
  trial.started = began;
  trial.measurements.measured_at = limits;
  trial.verdict = why;
  return trial;
}

PhaseResult<void> SearchFirstStart(Lab& lab, const Setup& setup, ProfileError error) {
  const Bytes ceiling = lab.ceiling().memory();
  const Bytes host = lab.subject().host_memory;
  if (host <= ceiling) {
    error.message += "; that is all this host can give";
    return FailRun(std::move(error));
  }
  StartSearch search(ceiling, ceiling + ceiling, host);
  while (const auto memory = search.Next()) {
    const auto starts = Starts(lab, setup, *memory);
    if (!starts && starts.error().state == ProfileState::kTimedOut) {
      error.message += "; the budget was used up before the first limit that loads was found";
      return FailRun(std::move(error));
    }
    if (!starts) return tl::unexpected<RunEnd>(starts.error());
    search.Tell(*starts);
  }
  if (const auto first = search.found()) {
    error.message += "; it starts with " + InGb(*first) + " GiB";
    error.advice.insert(error.advice.begin(), "profile again with --memory-gb " + InGb(*first) +
                                                  " or more: loading alone needs that much");
  } else {
    error.message += "; it does not start with the " + InGb(host) + " GiB of this host either";
  }
  return FailRun(std::move(error));
}

}  // namespace mlprof::server::phases
