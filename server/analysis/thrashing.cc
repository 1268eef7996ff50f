#include "server/analysis/thrashing.h"

#include <algorithm>

#include "common/units/size_text.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::seconds kWatched{5};
constexpr double kLeastSeconds = 2;
constexpr double kFull = 0.95;
// As of a run at limits (server/profiling/phases/filled_limit.h): fewer are the start's own.
constexpr double kPagesPerSecond = 100;
// A model that answered nothing for as long as it was watched read 140,000 a second from a disk
// that was quick; one that is slower is waited for as ever.
constexpr double kPagesPerSecondOfNoHope = 10'000;

}  // namespace

std::optional<Thrashing> FindThrashing(std::span<const Sample> samples, Bytes limit) {
  if (samples.empty()) return std::nullopt;
  const auto end = samples.back().at;
  const std::span<const Sample> last = Between(samples, end - kWatched, end);
  const double seconds = std::chrono::duration<double>(end - last.front().at).count();
  if (seconds < kLeastSeconds) return std::nullopt;
  const bool full = std::ranges::all_of(
      last, [&](const Sample& sample) { return sample.usage >= Scale(limit, kFull); });
  if (!full) return std::nullopt;
  const std::int64_t count = last.back().file_refaults - last.front().file_refaults;
  const double pages = static_cast<double>(count) / seconds;
  if (pages < kPagesPerSecond) return std::nullopt;
  return Thrashing{pages, limit};
}

bool GetsNowhere(std::span<const Sample> samples, Bytes limit) {
  const auto thrashing = FindThrashing(samples, limit);
  return thrashing && thrashing->pages_per_second >= kPagesPerSecondOfNoHope;
}

std::string Sentence(const Thrashing& thrashing) {
  return "it filled its memory limit of " + SizeText(thrashing.limit) +
         Sentence(" and read its files back, %.0f pages a second", thrashing.pages_per_second);
}

}  // namespace mlprof::server
