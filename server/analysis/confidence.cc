#include "server/analysis/confidence.h"

#include <algorithm>
#include <numeric>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// Three containers are what proves an answer (docs/decisions, 14). The two widths are chosen, not
// measured: the latencies' is half of what a limit may cost (kReferenceTolerance), the starts' is
// the margin on memory, which then still holds them.
constexpr int kAllPasses = 3;
constexpr int kSomePasses = 2;
constexpr double kNarrowLatency = 0.05;
constexpr double kNarrowStarts = 0.10;

constexpr const char* kRowsFailed = "rows failed, ended the model or were not replayed";

using Clauses = std::vector<std::string>;

std::string Joined(const Clauses& clauses) {
  std::string text;
  for (const std::string& clause : clauses) text += (text.empty() ? "" : "; ") + clause;
  return text;
}

// What keeps it low, what from being high, and what it rests on where neither does.
ConfidenceLabel LabelOf(const Clauses& low, const Clauses& medium, const std::string& high) {
  if (!low.empty()) return {Confidence::kLow, Joined(low)};
  if (!medium.empty()) return {Confidence::kMedium, Joined(medium)};
  return {Confidence::kHigh, high};
}

std::string ContainersHeld(const ConfidenceEvidence& evidence) {
  return Sentence("%d fresh container%s held it", evidence.passes, evidence.passes == 1 ? "" : "s");
}

Clauses LowOf(ResourceKind kind, const ConfidenceEvidence& evidence) {
  Clauses low;
  if (evidence.passes < kSomePasses) {
    low.push_back("only " + ContainersHeld(evidence));
  }
  if (evidence.rows_failed) low.emplace_back(kRowsFailed);
  const auto& raised = evidence.raised_by_noise;
  if (std::find(raised.begin(), raised.end(), kind) != raised.end()) {
    low.emplace_back("only runs that other work on the host disturbed failed with less of it");
  }
  return low;
}

std::string NoisyHost() {
  return std::string("the host was busy with other work, or its speed changed: ") + kWhenQuiet;
}

Clauses LowOfCpu(const ConfidenceEvidence& evidence) {
  Clauses low = LowOf(ResourceKind::kCpu, evidence);
  if (evidence.noisy) low.push_back(NoisyHost());
  return low;
}

Clauses LowOfMemory(const ConfidenceEvidence& evidence) {
  Clauses low = LowOf(ResourceKind::kMemory, evidence);
  if (evidence.trend == MemoryTrend::kGrowing) low.emplace_back("memory grows with every request");
  if (evidence.grows_with_inputs) low.emplace_back("memory grows with every distinct row");
  if (evidence.killed) {
    low.emplace_back("with as much memory, and less CPU, a container was killed for memory");
  }
  return low;
}

Clauses MediumOf(const ConfidenceEvidence& evidence) {
  Clauses medium;
  if (evidence.passes < kAllPasses) medium.push_back("only " + ContainersHeld(evidence));
  if (!evidence.enough_requests) {
    medium.emplace_back("a container served too few requests for its percentile");
  }
  return medium;
}

Clauses MediumOfCpu(const ConfidenceEvidence& evidence) {
  Clauses medium = MediumOf(evidence);
  if (evidence.latency_spread > kNarrowLatency) {
    medium.push_back(
        Sentence("the containers' mean latencies differ by %.0f%%", 200 * evidence.latency_spread));
  }
  if (evidence.from_cache) {
    medium.emplace_back("rows that were seen are answered from a cache, and few were not");
  }
  if (const auto& least = evidence.cpu_in_doubt) {
    medium.push_back(
        Sentence("from %.1f cores on it fell short by so few requests that more might "
                 "have held: another profile may tell as little",
                 least->value()));
  }
  if (const auto& tails = evidence.tails_in_doubt) {
    medium.push_back(
        Sentence("the quota stopped %.0f of %zu requests for longer than p99 allows, "
                 "next to the 1%% that it may: another profile may tell more",
                 tails->stopped, tails->requests));
  }
  return medium;
}

std::string RareKills(const ConfidenceEvidence& evidence) {
  const std::string few = Sentence("%lld requests met no kill, where %lld show that it is rare",
                                   static_cast<long long>(evidence.requests),
                                   static_cast<long long>(kRequestsForMemory));
  // Rows that were seen would soak nothing.
  return evidence.from_cache ? few : few + ": --soak SECONDS serves more";
}

Clauses MediumOfMemory(const ConfidenceEvidence& evidence) {
  Clauses medium = MediumOf(evidence);
  if (evidence.trend == MemoryTrend::kUnknown) {
    medium.emplace_back(evidence.from_cache
                            ? "whether memory grows was not seen: rows come from a cache"
                            : "too little was served to tell whether memory grows");
  }
  if (evidence.start_spread > kNarrowStarts) {
    medium.push_back(Sentence("the most that a start took lies %.0f%% of the need above the usual",
                              100 * evidence.start_spread));
  }
  if (evidence.reads_pages_back) {
    medium.emplace_back("pages of files were read back again and again");
  }
  if (evidence.requests < kRequestsForMemory) medium.push_back(RareKills(evidence));
  return medium;
}

}  // namespace

ConfidenceLabel ConfidenceLabels::Of(ResourceKind kind) const {
  const ConfidenceLabel* label = judged.Find(kind);
  return label != nullptr ? *label : ConfidenceLabel();
}

Confidence ConfidenceLabels::LowestOf(const Limits& limits) const {
  Confidence lowest = Confidence::kHigh;
  for (const Amount& limit : limits.All()) {
    // The enumerators go from high to low.
    lowest = std::max(lowest, Of(limit.kind()).confidence);
  }
  return lowest;
}

ConfidenceLabels JudgeConfidence(const ConfidenceEvidence& evidence) {
  ConfidenceLabels labels;
  labels.judged.Set(ResourceKind::kCpu,
                    LabelOf(LowOfCpu(evidence), MediumOfCpu(evidence),
                            ContainersHeld(evidence) +
                                Sentence(", and their mean latencies differ by no more than %.0f%%",
                                         200 * kNarrowLatency)));
  // Noise is not asked here: other work on the host makes a model slow, not large.
  labels.judged.Set(ResourceKind::kMemory,
                    LabelOf(LowOfMemory(evidence), MediumOfMemory(evidence),
                            ContainersHeld(evidence) +
                                Sentence(", %lld requests met no kill, and memory stays flat",
                                         static_cast<long long>(evidence.requests))));
  return labels;
}

ConfidenceLabels JudgeUnproven(const UnprovenEvidence& evidence) {
  const std::string unproven = "it is not proven in three fresh containers";
  const auto tries = [](int count, const char* what) {
    return Sentence("%d %s %s", count, count == 1 ? "try" : "tries", what);
  };
  Clauses cpu{unproven};
  Clauses memory{unproven};
  if (evidence.rows_failed) {
    for (Clauses* clauses : {&cpu, &memory}) clauses->emplace_back(kRowsFailed);
  }
  if (evidence.short_of_cpu > 0) {
    cpu.push_back(tries(evidence.short_of_cpu, "with as much or less fell short of it"));
  }
  if (evidence.noisy) cpu.push_back(NoisyHost());
  if (evidence.files_of_others) {
    memory.emplace_back("what held was not charged for all files that it has mapped");
  }
  if (evidence.short_of_memory > 0) {
    memory.push_back(tries(evidence.short_of_memory, "with it fell short of it"));
  } else if (evidence.content_with_memory > 0) {
    memory.push_back(tries(evidence.content_with_memory, "with it fell short of CPU alone"));
  }
  const bool content = !evidence.files_of_others && evidence.short_of_memory == 0 &&
                       !evidence.grows && !evidence.rows_failed &&
                       evidence.content_with_memory >= kSomePasses;
  ConfidenceLabels labels = UnsureBecause(unproven);
  labels.judged.Set(ResourceKind::kCpu, {Confidence::kLow, Joined(cpu)});
  labels.judged.Set(ResourceKind::kMemory,
                    {content ? Confidence::kMedium : Confidence::kLow, Joined(memory)});
  return labels;
}

ConfidenceLabels UnsureBecause(const std::string& why) {
  ConfidenceLabels labels;
  for (const ResourceKind kind : kResources) labels.judged.Set(kind, {Confidence::kLow, why});
  return labels;
}

double HalfRange(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return mean > 0 ? (*high - *low) / 2 / mean : 0;
}

}  // namespace mlprof::server
