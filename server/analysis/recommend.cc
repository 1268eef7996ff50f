#include "server/analysis/recommend.h"

#include <algorithm>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// The most that was tried of it and failed. What failed once and later held, on a quieter host,
// bounds nothing, and neither does what other work on the host made slow.
std::optional<Amount> MostFailed(const Amount& requested, const std::vector<FailedTry>& failed,
                                 bool disturbed) {
  std::optional<Amount> most;
  for (const FailedTry& attempt : failed) {
    if (attempt.shortage != requested.kind() || attempt.disturbed != disturbed) continue;
    const auto tried = attempt.limits.Find(requested.kind());
    if (!tried || !(*tried < requested)) continue;
    if (!most || *most < *tried) most = tried;
  }
  return most;
}

// Where the most that was tried below `requested` was disturbed: so much of it.
std::optional<Amount> MostDisturbed(const Amount& requested, const std::vector<FailedTry>& failed) {
  const auto disturbed = MostFailed(requested, failed, true);
  const auto bound = MostFailed(requested, failed, false);
  return disturbed && (!bound || *bound < *disturbed) ? disturbed : std::nullopt;
}

bool IsSmallest(const Amount& amount) {
  return amount.units() <= RulesOf(amount.kind()).smallest.units();
}

// What is known of one limit beside the need.
struct TriedLimit {
  const Amount& requested;
  const Amount& ceiling;
  std::optional<Amount> failed;     // the most below it that fell short
  std::optional<Amount> disturbed;  // the most below it of which a disturbed run tells nothing
  bool held = false;
};

std::string HowChosen(const TriedLimit& limit, const ResourceNeed& need) {
  const std::string amount = AmountText(limit.requested);
  std::string text;
  if (limit.failed) text = "; " + AmountText(*limit.failed) + " fell short when tried";
  if (limit.disturbed) {
    text += "; " + AmountText(*limit.disturbed) +
            " were too slow in a run that other work on the host disturbed, which proves nothing";
  }
  if (!text.empty()) return text;
  if (limit.ceiling < need.Asked() && limit.requested == limit.ceiling) {
    return "; the ceiling is " + amount;
  }
  if (IsSmallest(limit.requested)) return "; " + amount + " is the least limit there is";
  if (limit.requested == need.Asked()) return need.Follows(limit.requested);
  return limit.held ? "; " + amount + " held the objective" : "";
}

Bound BoundOf(const TriedLimit& limit, const ResourceNeed& need) {
  const Amount& requested = limit.requested;
  Bound bound{Lesser(need.Used(), requested), requested, need.Seen() + HowChosen(limit, need)};
  if (limit.failed) {
    bound.low = *limit.failed;
    bound.low_failed = true;
  } else if (IsSmallest(requested)) {
    // Nothing below can be given, however little is needed.
    bound.low = requested;
  }
  bound.high = Greater(requested, Clamp(need.Ample(), limit.ceiling));
  bound.at_floor = !OneStepLower(requested);
  return bound;
}

Amount Higher(const Amount& limit, Shortfall shortfall) {
  constexpr int kTwice = 200;
  switch (shortfall) {
    case Shortfall::kSmall: return SmallStepHigher(limit);
    case Shortfall::kOfHeap: return PercentOf(limit, kTwice);
    case Shortfall::kUnknown: break;
  }
  return OneStepHigher(limit);
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

std::optional<Limits> Raise(const Limits& tried, ResourceKind shortage, const Limits& ceiling,
                            Shortfall shortfall) {
  const auto limit = tried.Find(shortage);
  const auto most = ceiling.Find(shortage);
  if (!limit || !most) return std::nullopt;
  const Amount raised = Clamp(Higher(*limit, shortfall), *most);
  if (raised == *limit) return std::nullopt;
  return tried.With(raised);
}

Recommendation Recommend(const Limits& limits, const MeasuredNeed& need, const Limits& ceiling,
                         const std::vector<FailedTry>& failed, const std::vector<Amount>& held) {
  Recommendation answer;
  answer.requested = limits;
  for (const Amount& requested : limits.All()) {
    const ResourceNeed* measured = need.Find(requested.kind());
    if (measured == nullptr) continue;
    const Amount most = ceiling.Find(requested.kind()).value_or(requested);
    const bool seen = std::find(held.begin(), held.end(), requested) != held.end();
    answer.Set(BoundOf({requested, most, MostFailed(requested, failed, false),
                        MostDisturbed(requested, failed), seen},
                       *measured));
  }
  return answer;
}

std::vector<ResourceKind> RaisedByNoise(const Limits& limits,
                                        const std::vector<FailedTry>& failed) {
  std::vector<ResourceKind> raised;
  for (const Amount& limit : limits.All()) {
    if (MostDisturbed(limit, failed)) raised.push_back(limit.kind());
  }
  return raised;
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

Amount CpuNeed::Used() const {
  return std::max({Cores(cores).RoundDownToGrid(), kCpuQuantum, to_start});
}

Amount CpuNeed::Asked() const { return std::max(ForServing(), to_start); }

Cores CpuNeed::ForServing() const {
  const double tolerance = noisy ? 0 : kCpuTolerance;
  const double margin = 1 + MarginPercent(ResourceKind::kCpu) / 100.0;
  const double wanted = cores * (1 - tolerance) / utilization * margin;
  return Cores(std::max(0.0, wanted - 0.01)).RoundUpToGrid();
}

Amount CpuNeed::Ample() const {
  return std::max(Cores(cores * (1 + kAmpleMarginPercent / 100.0)).RoundUpToGrid(), to_start);
}

std::string CpuNeed::Seen() const {
  if (noisy) return Sentence("the rows want %.2f cores, what other work took counted in", cores);
  return Sentence("the rows used %.2f cores on average", cores);
}

std::string CpuNeed::Follows(const Amount& requested) const {
  const double limit = requested.cores().value();
  if (requested.cores() == to_start && ForServing() < to_start) {
    return Sentence("; it takes %.1f to start in time", limit);
  }
  if (utilization < 1) return Sentence("; %.1f cores leave room for bursts", limit);
  return Sentence(limit < cores ? ", rounded to %.1f" : ", rounded up to %.1f", limit);
}

Bytes MemoryNeed::Floor() const {
  return std::max(start_peak, UnderLoad()) + agent_memory + files_of_others;
}

Amount MemoryNeed::WithMargin(int percent) const {
  const Bytes spread = StartDecides() ? Bytes() : start_spread;
  return RoundUp(Amount(PercentOf(Floor(), 100 + percent).bytes() + spread));
}

Amount MemoryNeed::Asked() const { return WithMargin(MarginPercent(ResourceKind::kMemory)); }
Amount MemoryNeed::Ample() const { return WithMargin(kAmpleMarginPercent); }

std::string MemoryNeed::Seen() const {
  std::string peak = Sentence("%.0f MiB could not be given back at the peak %s", Floor().mib(),
                              StartDecides() ? "while the model started" : "under load");
  if (!StartDecides() && successors > Bytes()) {
    peak += Sentence(", %.0f MiB of them for successors of workers that may all be there at once",
                     successors.mib());
  }
  if (!StartDecides() && in_flight > 1) {
    peak +=
        Sentence(", with the %d requests in flight that one arrival in 10,000 exceeds", in_flight);
  }
  if (!StartDecides() && hot_file > Bytes()) {
    peak += Sentence(", %.0f MiB of them file pages it reads all the time", hot_file.mib());
  }
  if (files_of_others > Bytes()) {
    peak += Sentence(", %.0f MiB of them pages of files that another container paid for",
                     files_of_others.mib());
  }
  return peak;
}

std::string MemoryNeed::Follows(const Amount& /*requested*/) const {
  return Sentence(", plus a margin of %d%%", MarginPercent(ResourceKind::kMemory));
}

Amount DeviceMemoryNeed::Asked() const {
  return RoundUp(PercentOf(peak, 100 + MarginPercent(ResourceKind::kDeviceMemory)));
}

Amount DeviceMemoryNeed::Ample() const {
  return RoundUp(PercentOf(peak, 100 + kAmpleMarginPercent));
}

std::string DeviceMemoryNeed::Seen() const {
  return Sentence("%.0f MiB were needed on each of %d devices", peak.each.mib(), peak.count);
}

std::string DeviceMemoryNeed::Follows(const Amount& /*requested*/) const {
  return Sentence(", plus a margin of %d%%", MarginPercent(ResourceKind::kDeviceMemory));
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
