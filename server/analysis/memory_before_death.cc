#include "server/analysis/memory_before_death.h"

#include <algorithm>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::nanoseconds kLookBack = std::chrono::seconds(2);
// So many samples behind the kill's may still be of the memory that it took.
constexpr std::size_t kAtTheEnd = 3;
// What the limit holds beside it: files that could not be dropped, the kernel's own, the agent.
constexpr double kAtTheLimit = 0.8;

Bytes Most(const Sample& sample) {
  return std::max(sample.unreclaimable, sample.peak_unreclaimable.value_or(Bytes()));
}

}  // namespace

std::optional<MemoryBeforeDeath> BeforeDeath(std::span<const Sample> samples) {
  // Behind the first kill, what is left of the model is measured.
  const auto killed =
      std::ranges::find_if(samples, [](const Sample& sample) { return sample.oom_kills > 0; });
  const auto past = killed == samples.end() ? killed : std::next(killed);
  const auto lived = samples.first(static_cast<std::size_t>(past - samples.begin()));
  if (lived.empty()) return std::nullopt;
  MemoryBeforeDeath before;
  for (const Sample& sample : lived.last(std::min(lived.size(), kAtTheEnd))) {
    before.level = std::max(before.level, Most(sample));
    before.usage = std::max(before.usage, sample.usage);
  }
  const auto end = lived.back().at;
  // The last one that was that low: a rise begins there.
  const Sample* lowest = nullptr;
  for (const Sample& sample : lived.first(lived.size() - 1)) {
    if (end - sample.at > kLookBack) continue;
    if (lowest == nullptr || sample.unreclaimable <= lowest->unreclaimable) lowest = &sample;
  }
  if (lowest == nullptr) return before;
  before.rise = before.level - std::min(before.level, lowest->unreclaimable);
  before.within = end - lowest->at;
  return before;
}

std::string Sentence(const MemoryBeforeDeath& before, Bytes limit) {
  if (std::max(before.level, before.usage) < Scale(limit, kAtTheLimit)) {
    return Sentence(
        "it was last seen with %.0f MiB, and rose to the limit faster than it was looked at",
        before.level.mib());
  }
  const std::string held = Sentence("it held %.0f MiB at the end", before.level.mib());
  const double seconds = std::chrono::duration<double>(before.within).count();
  if (seconds <= 0) return held;  // nothing was seen of the time before
  if (before.rise < MiB(1)) return held + Sentence(", and as much %.2f s before", seconds);
  return held + Sentence(", %.0f MiB of them since %.2f s before", before.rise.mib(), seconds);
}

}  // namespace mlprof::server
