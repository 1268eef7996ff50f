#include "server/profiling/phases/warm_up_windows.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"

namespace mlprof::server::phases {

WarmUpWindow MeasureWindow(const Container& container, const ReplayResult& window) {
  const ResourceUse use = Summarize(container.SamplesOf(window));
  const auto requests = static_cast<double>(std::max<std::size_t>(1, window.requests.size()));
  return {LatencyDistribution(window.SuccessLatencies()).QuantileMs(0.5).value_or(0),
          use.cpu_seconds.value_or(0) * 1000 / requests};
}

std::optional<WarmUpWindow> WindowsByRow::Told(const WarmUpWindow& measured,
                                               const ReplayResult& window) const {
  if (window.failures > 0) return std::nullopt;
  return usual_.WithAllRows(measured, VisitsOf(window.requests));
}

void WindowsByRow::Add(const WarmUpWindow& measured, const ReplayResult& window) {
  const auto told = Told(measured, window);
  told ? told_.push_back(*told) : told_.clear();
}

}  // namespace mlprof::server::phases
