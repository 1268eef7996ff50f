#include "server/profiling/phases/cold_starts.h"

#include <algorithm>

#include "server/profiling/phases/refused_folder.h"
#include "server/profiling/phases/start_search.h"

namespace mlprof::server::phases {
namespace {

constexpr int kStarts = 3;
constexpr int kMoreStarts = 5;
// A wider spread is worth two starts more. One model's starts are known to spread by 41%
// (docs/decisions, 14).
constexpr double kWideSpread = 0.10;

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
  const bool starved = death.oom_kills > 0;
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
    if (i + 1 == kStarts && SpreadIsWide(facts.peaks)) starts = kMoreStarts;
  }
  return facts;
}

MeasuredNeed NeedOfStart(const StartFacts& starts) {
  MeasuredNeed need;
  need.memory.start_peak = *std::max_element(starts.peaks.begin(), starts.peaks.end());
  need.memory.start_spread = need.memory.start_peak - Median(starts.peaks);
  return need;
}

}  // namespace mlprof::server::phases
