#include "server/analysis/recommend.h"

#include <algorithm>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// The most that was tried of it and failed. What failed once and later held, on a quieter host,
// bounds nothing.
std::optional<Amount> MostFailed(const Amount& requested, const std::vector<FailedTry>& failed) {
  std::optional<Amount> most;
  for (const FailedTry& attempt : failed) {
    if (attempt.shortage != requested.kind()) continue;
    const auto tried = attempt.limits.Find(requested.kind());
    if (!tried || !(*tried < requested)) continue;
    if (!most || *most < *tried) most = tried;
  }
  return most;
}

Bound BoundOf(const Amount& requested, const ResourceNeed& need, const Amount& ceiling,
              const std::optional<Amount>& failed) {
  return {failed.value_or(Lesser(need.Used(), requested)),
          Greater(requested, Clamp(need.Ample(), ceiling)), need.Reason(requested, failed)};
}

}  // namespace

Limits FirstAnswer(const MeasuredNeed& need, const Limits& ceiling) {
  Limits limits;
  for (const Amount& most : ceiling.All()) {
    const ResourceNeed* measured = need.Find(most.kind());
    limits.Set(measured != nullptr ? Clamp(measured->Asked(), most) : most);
  }
  return limits;
}

std::optional<Limits> Raise(const Limits& tried, ResourceKind shortage, const Limits& ceiling) {
  const auto limit = tried.Find(shortage);
  const auto most = ceiling.Find(shortage);
  if (!limit || !most) return std::nullopt;
  const Amount raised = Clamp(OneStepHigher(*limit), *most);
  if (raised == *limit) return std::nullopt;
  return tried.With(raised);
}

Recommendation Recommend(const Limits& limits, const MeasuredNeed& need, const Limits& ceiling,
                         const std::vector<FailedTry>& failed) {
  Recommendation answer;
  answer.requested = limits;
  for (const Amount& requested : limits.All()) {
    const ResourceNeed* measured = need.Find(requested.kind());
    if (measured == nullptr) continue;
    const Amount most = ceiling.Find(requested.kind()).value_or(requested);
    answer.Set(BoundOf(requested, *measured, most, MostFailed(requested, failed)));
  }
  return answer;
}

namespace {

// The upper bound that is told beside the answer. Chosen, not measured.
constexpr int kAmpleMarginPercent = 25;
// What a server does after its last byte is in a row's CPU time and not in its latency, so that one
// busy thread shows as up to 1.04 cores. What this takes off too much, the search and the
// verification put back.
constexpr double kCpuTolerance = 0.03;

constexpr int MarginPercent(ResourceKind kind) { return RulesOf(kind).margin_percent; }

}  // namespace

Amount CpuNeed::Used() const { return std::max(Cores(cores).RoundDownToGrid(), kCpuQuantum); }

Amount CpuNeed::Asked() const {
  const double tolerance = noisy ? 0 : kCpuTolerance;
  const double margin = 1 + MarginPercent(ResourceKind::kCpu) / 100.0;
  const double wanted = cores * (1 - tolerance) / utilization * margin;
  return Cores(std::max(0.0, wanted - 0.01)).RoundUpToGrid();
}

Amount CpuNeed::Ample() const {
  return Cores(cores * (1 + kAmpleMarginPercent / 100.0)).RoundUpToGrid();
}

std::string CpuNeed::Reason(const Amount& requested, const std::optional<Amount>& failed) const {
  const double limit = requested.cores().value();
  const std::string use = Sentence("the rows used %.2f cores on average", cores);
  if (failed) {
    return use + Sentence("; %.1f cores were tried and were not enough", failed->cores().value());
  }
  if (utilization < 1) return use + Sentence("; %.1f cores leave room for bursts", limit);
  if (limit < cores - 0.01) {
    return Sentence("%.1f cores hold the latency objective; at full speed ", limit) + use;
  }
  return use + Sentence(", rounded up to %.1f", limit);
}

Bytes MemoryNeed::Floor() const {
  return std::max(start_peak, serving_peak + hot_file) + agent_memory;
}

Amount MemoryNeed::WithMargin(int percent) const {
  const Bytes spread = StartDecides() ? Bytes() : start_spread;
  return RoundUp(Amount(PercentOf(Floor(), 100 + percent).bytes() + spread));
}

Amount MemoryNeed::Asked() const { return WithMargin(MarginPercent(ResourceKind::kMemory)); }
Amount MemoryNeed::Ample() const { return WithMargin(kAmpleMarginPercent); }

std::string MemoryNeed::Reason(const Amount& /*requested*/,
                               const std::optional<Amount>& failed) const {
  std::string peak = Sentence("%.0f MiB could not be given back at the peak %s", Floor().mib(),
                              StartDecides() ? "while the model started" : "under load");
  if (!StartDecides() && hot_file > Bytes()) {
    peak += Sentence(", %.0f MiB of them file pages it reads all the time", hot_file.mib());
  }
  if (failed) {
    return peak + Sentence("; %.0f MiB were tried and were not enough", failed->bytes().mib());
  }
  return peak + Sentence(", plus a margin of %d%%", MarginPercent(ResourceKind::kMemory));
}

Amount DeviceMemoryNeed::Asked() const {
  return RoundUp(PercentOf(peak, 100 + MarginPercent(ResourceKind::kDeviceMemory)));
}

Amount DeviceMemoryNeed::Ample() const {
  return RoundUp(PercentOf(peak, 100 + kAmpleMarginPercent));
}

std::string DeviceMemoryNeed::Reason(const Amount& /*requested*/,
                                     const std::optional<Amount>& failed) const {
  const std::string used =
      Sentence("%.0f MiB were needed on each of %d devices", peak.each.mib(), peak.count);
  if (failed) {
    return used + Sentence("; %.0f MiB were tried and were not enough", failed->bytes().mib());
  }
  return used + Sentence(", plus a margin of %d%%", MarginPercent(ResourceKind::kDeviceMemory));
}

const ResourceNeed* MeasuredNeed::Find(ResourceKind kind) const {
  switch (kind) {
    case ResourceKind::kCpu: return &cpu;
    case ResourceKind::kMemory: return &memory;
    case ResourceKind::kDeviceMemory: return device_memory ? &*device_memory : nullptr;
  }
  return nullptr;
}

}  // namespace mlprof::server
