#include "server/profiling/lab/instrument.h"

#include <algorithm>
#include <cmath>

#include "common/log/log.h"
#include "common/result/result.h"

namespace mlprof::server {

Observation::Observation(const std::vector<InstrumentKind>& kinds,
                         const ObservedContainer& container, Deadline deadline)
    : container_(container) {
  for (const InstrumentKind& kind : kinds) {
    auto begun = Caught([&]() -> Result<std::unique_ptr<Instrument>> {
      auto instrument = kind.make();
      MLPROF_TRY(instrument->Begin(container_, deadline));
      return instrument;
    });
    if (begun) {
      begun_.push_back({kind.name, std::move(*begun)});
    } else {
      Tell(kind.name, begun.error().message());
    }
  }
}

std::vector<Series> Observation::End(ContainerFacts& facts, Deadline deadline) {
  std::vector<Series> all;
  for (const Begun& begun : begun_) {
    const auto kept = Caught([&]() -> Status {
      MLPROF_LET(read, begun.instrument->End(facts, deadline));
      for (Series& series : read) Keep(begun.name, std::move(series), all);
      return {};
    });
    if (!kept) Tell(begun.name, kept.error().message());
  }
  begun_.clear();
  facts.instrument_failures = std::move(failures_);
  return all;
}

// No JSON has a number that is not finite.
void Observation::Keep(const std::string& instrument, Series series, std::vector<Series>& all) {
  std::erase_if(series.points,
                [](const SeriesPoint& point) { return !std::isfinite(point.value); });
  if (series.points.empty()) return;
  const bool taken = std::any_of(all.begin(), all.end(),
                                 [&](const Series& other) { return other.name == series.name; });
  if (taken) return Tell(instrument, "another instrument gave the series " + series.name);
  all.push_back(std::move(series));
}

void Observation::Tell(const std::string& instrument, const std::string& why) {
  LogWarn("an instrument failed", {{"instrument", instrument}, {"why", why}});
  failures_.push_back({instrument, why});
}

}  // namespace mlprof::server
