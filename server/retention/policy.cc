#include "server/retention/policy.h"

#include <algorithm>
#include <utility>

#include "common/units/size_text.h"

namespace mlprof::server {
namespace {

std::string Counted(std::int64_t count, const char* unit) {
  return std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
}

}  // namespace

std::vector<Leaving> ChooseLeaving(std::vector<Holding> holdings, const RetentionLimits& limits,
                                   Timestamp now) {
  std::stable_sort(holdings.begin(), holdings.end(),
                   [](const Holding& a, const Holding& b) { return a.last_used < b.last_used; });
  Bytes left;
  for (const Holding& holding : holdings) left += holding.size;
  std::vector<Leaving> leaving;
  for (Holding& holding : holdings) {
    if (holding.needed) continue;
    const bool old = limits.age && holding.last_used < now - *limits.age;
    const bool over = limits.size && left > *limits.size;
    if (!old && !over) continue;
    left = left - holding.size;
    std::string why = old ? "older than " + AgeText(*limits.age)
                          : "the oldest, while all take more than " + SizeText(*limits.size);
    leaving.push_back({std::move(holding), std::move(why)});
  }
  return leaving;
}

std::string AgeText(std::chrono::seconds age) {
  constexpr std::int64_t kHour = 3600;
  constexpr std::int64_t kDay = 24 * kHour;
  const std::int64_t seconds = age.count();
  if (seconds >= kDay && seconds % kDay == 0) return Counted(seconds / kDay, "day");
  if (seconds >= kHour && seconds % kHour == 0) return Counted(seconds / kHour, "hour");
  return Counted(seconds, "second");
}

}  // namespace mlprof::server
