// What is said of a profile, in the words that a person reads, against its stored trials: each
// claim needs the run that shows it. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "client/cli/output/profile_details.h"
#include "common/domain/profile.h"
#include "common/domain/trial.h"

namespace mlprof::server {

inline bool IsProof(const Trial& trial) {
  return trial.purpose == TrialPurpose::kVerification || trial.purpose == TrialPurpose::kTightness;
}

/// As figures of four digits agree.
inline bool Agree(double printed, double stored) {
  return std::abs(printed - stored) <= 0.002 * std::abs(stored) + 1e-9;
}

/// Cores, or MiB.
inline double FigureOf(const Amount& amount) {
  return amount.kind() == ResourceKind::kCpu ? amount.cores().value() : amount.bytes().mib();
}

class Claims {
 public:
  Claims(const Profile& profile, std::span<const Trial> trials)
      : profile_(profile), trials_(trials), text_(client::cli::ProfileDetails(profile)) {}

  /// The sentences that no trial bears out, with what is missing. Empty: all are true.
  std::vector<std::string> Untrue() {
    if (profile_.recommendation) {
      Verified();
      Tight();
      Confidence();
      Sustains();
      for (const Amount& limit : profile_.recommendation->requested.All()) {
        Range(limit);
        Reason(limit);
      }
    }
    NoAnswer();
    Measured();
    Warned();
    return untrue_;
  }

  const std::string& text() const { return text_; }

 private:
  bool Any(const std::function<bool(const Trial&)>& shows) const {
    return std::any_of(trials_.begin(), trials_.end(), shows);
  }
  void Need(bool shown, const std::string& sentence, const std::string& missing) {
    if (!shown) untrue_.push_back("\"" + sentence + "\": " + missing);
  }
  bool Says(const std::string& words) const { return text_.find(words) != std::string::npos; }

  // The value of a line of the answer: "  label    value".
  std::string Line(const std::string& label) const {
    std::smatch found;
    const std::string answer = text_.substr(0, text_.find("\n\n", text_.find("  verified")));
    const std::regex line("\n  " + label + " +([^\n]+)");
    return std::regex_search(answer, found, line) ? found[1].str() : "";
  }
  // That below it.
  std::string LineBelow(const std::string& label) const {
    std::smatch found;
    const std::string answer = text_.substr(0, text_.find("\n\n", text_.find("  verified")));
    const std::regex line("\n  " + label + " +[^\n]+\n +([^\n]+)");
    return std::regex_search(answer, found, line) ? found[1].str() : "";
  }
  static std::string LabelOf(const Amount& limit) {
    return limit.kind() == ResourceKind::kCpu ? "CPU" : "memory";
  }

  void Verified() {
    const Limits& limits = profile_.recommendation->requested;
    const auto passed = std::count_if(trials_.begin(), trials_.end(), [&](const Trial& trial) {
      return IsProof(trial) && trial.passed && trial.limits == limits;
    });
    const std::string line = Line("verified");
    if (line.starts_with("yes")) {
      Need(passed >= 3, line, std::to_string(passed) + " containers passed there");
    } else {
      const bool soaked_down = Any(
          [](const Trial& trial) { return trial.purpose == TrialPurpose::kSoak && !trial.passed; });
      Need(passed < 3 || soaked_down, line, "three passed");
      Need(!Says("\n  tight"), "tight", "nothing was verified");
    }
  }

  bool FailedAt(const Amount& amount) const {
    return Any([&](const Trial& trial) {
      return IsProof(trial) && !trial.passed && trial.limits.Find(amount.kind()) == amount;
    });
  }

  void Tight() {
    const std::string line = Line("tight");
    const Limits& limits = profile_.recommendation->requested;
    for (const Amount& limit : limits.All()) {
      const std::string label = LabelOf(limit);
      const auto lower = OneStepLower(limit);
      const std::string tried = line.substr(0, line.find("was tried and failed"));
      if (tried != line && tried.find("of " + label) != std::string::npos) {
        Need(lower && FailedAt(*lower), line, "no run with one step less of " + label + " failed");
      }
      if (line.find("of " + label + " is the least") != std::string::npos) {
        Need(!lower, line, "there is a step below");
      }
    }
    if (!line.starts_with("no")) return;
    const std::vector<Amount> all = limits.All();
    Need(std::any_of(all.begin(), all.end(), [&](const Amount& limit) { return IsLoose(limit); }),
         line, "one step less was not seen to hold");
    for (const Amount& limit : all) {
      const std::string label = LabelOf(limit);
      const bool named = line.find(" of " + label) != std::string::npos;
      Need(!named || IsLoose(limit), line, "one step less of " + label + " was not seen to hold");
    }
  }

  // Two runs passed with one step less of it and no more of anything else. Of memory one is enough,
  // which may have left no room.
  bool IsLoose(const Amount& limit) const {
    const auto held = std::ranges::count_if(trials_, [&](const Trial& trial) {
      const auto less = trial.limits.Find(limit.kind());
      return IsProof(trial) && trial.passed && less && less == OneStepLower(limit) &&
             IsWithin(trial.limits);
    });
    return held >= (limit.kind() == ResourceKind::kMemory ? 1 : 2);
  }

  bool IsWithin(const Limits& tried) const {
    const std::vector<Amount> all = tried.All();
    return std::all_of(all.begin(), all.end(), [&](const Amount& amount) {
      const auto most = profile_.recommendation->requested.Find(amount.kind());
      return most && amount.units() <= most->units();
    });
  }

  void Confidence() {
    const Recommendation& answer = *profile_.recommendation;
    const bool noisy = IsNoisy();
    Need(answer.verified || answer.confidence == mlprof::Confidence::kLow, Line("confidence"),
         "nothing is verified");
    const Bound* cpu = answer.bounds.Find(ResourceKind::kCpu);
    Need(cpu == nullptr || !noisy || cpu->confidence == mlprof::Confidence::kLow, Line("CPU"),
         "the host was noisy");
    std::smatch doubt;
    static const std::regex kByFew("from ([0-9.]+) cores on it fell short by so few requests");
    if (cpu != nullptr && std::regex_search(cpu->because, doubt, kByFew)) {
      Need(FailedAt(Cores(std::stod(doubt[1]))), doubt[0], "nothing fell short there");
    }
    const Bound* memory = answer.bounds.Find(ResourceKind::kMemory);
    const bool alone =
        memory != nullptr && memory->because.find("fell short of CPU alone") != std::string::npos;
    const bool served = Any([&](const Trial& trial) {
      return IsProof(trial) && !trial.passed && trial.measurements.success_queries > 0 &&
             trial.limits.memory() == answer.requested.memory();
    });
    Need(!alone || served, Line("memory"), "nothing with that memory served and fell short");
  }

  bool IsNoisy() const {
    return std::any_of(profile_.warnings.begin(), profile_.warnings.end(),
                       [](const Warning& warning) { return warning.code == "noisyHost"; });
  }

  void Sustains() {
    const std::string line = Line("sustains");
    const Limits& limits = profile_.recommendation->requested;
    std::smatch found;
    if (std::regex_search(line, found, std::regex("([0-9]+) at a time"))) {
      const int concurrency = std::stoi(found[1]);
      Need(Any([&](const Trial& trial) {
             return trial.passed && trial.limits == limits && !trial.requests_per_second &&
                    trial.concurrency >= concurrency;
           }),
           line, "so many were never held there");
    }
    if (!std::regex_search(line, found, std::regex("([0-9.]+) requests/s"))) return;
    const double rate = std::stod(found[1]);
    Need(Any([&](const Trial& trial) {
           const double served = std::max(trial.measurements.queries_per_second.value_or(0),
                                          trial.requests_per_second.value_or(0));
           return trial.passed && trial.limits == limits && served >= 0.99 * rate;
         }),
         line, "so many were never served there");
    const auto& asked = profile_.request.objective.requests_per_second;
    if (asked && profile_.recommendation->verified) {
      Need(rate >= 0.995 * *asked, line, "the rate itself was verified");
    }
  }

  void Range(const Amount& limit) {
    const std::string line = Line(LabelOf(limit));
    const double requested = FigureOf(limit);
    std::smatch found;
    static const std::regex kMore("^more than ([0-9.]+).*, up to ([0-9.]+)");
    static const std::regex kFrom("^([0-9.]+)[^,]* to ([0-9.]+)");
    static const std::regex kOne("^([0-9.]+) ");
    const auto fell_short = [&](double figure) {
      return Any([&](const Trial& trial) {
        const auto amount = trial.limits.Find(limit.kind());
        return IsProof(trial) && !trial.passed && amount && Agree(figure, FigureOf(*amount));
      });
    };
    if (std::regex_search(line, found, kMore)) {
      Need(fell_short(std::stod(found[1])), line, "nothing fell short there");
      Need(std::stod(found[1]) < requested, line, "the answer is no more");
      Need(requested <= std::stod(found[2]) * 1.002, line, "the answer lies above");
    } else if (std::regex_search(line, found, kFrom)) {
      Need(std::stod(found[1]) <= requested * 1.002, line, "the answer lies below");
      Need(requested <= std::stod(found[2]) * 1.002, line, "the answer lies above");
      Need(!OneStepLower(limit) || std::stod(found[1]) <= std::stod(found[2]), line, "is empty");
      Need(limit.units() > RulesOf(limit.kind()).smallest.units() ||
               std::stod(found[1]) >= FigureOf(RulesOf(limit.kind()).smallest) * 0.998,
           line, "begins below the least limit there is");
    } else if (std::regex_search(line, found, kOne)) {
      Need(Agree(std::stod(found[1]), requested), line, "is not the answer");
    } else {
      Need(false, line, "is no range of " + LabelOf(limit));
    }
  }

  void Reason(const Amount& limit) {
    const std::string reason = LineBelow(LabelOf(limit));
    const bool cpu = limit.kind() == ResourceKind::kCpu;
    std::smatch found;
    if (std::regex_search(reason, found, std::regex("([0-9.]+) [a-zA-Z]+ fell short when tried"))) {
      TriedAndShort(limit, std::stod(found[1]), reason);
    }
    if (std::regex_search(reason, found, std::regex("([0-9.]+) [a-zA-Z]+ held the objective"))) {
      const double figure = std::stod(found[1]);
      Need(Any([&](const Trial& trial) {
             const auto amount = trial.limits.Find(limit.kind());
             return trial.passed && amount && Agree(figure, FigureOf(*amount)) &&
                    (IsProof(trial) || trial.purpose == TrialPurpose::kCpuProbe);
           }),
           reason, "no run with so much passed");
    }
    if (reason.find("is the least limit there is") != std::string::npos) {
      Need(!OneStepLower(limit), reason, "there is a step below");
    }
    if (std::regex_search(reason, found, std::regex("a margin of ([0-9]+)%"))) {
      const double percent = std::stod(found[1]);
      std::regex_search(reason, found, std::regex("^([0-9.]+) MiB could not be given back"));
      const double needed = std::stod(found[1]);
      const double least = needed * (1 + percent / 100);
      Need(FigureOf(limit) >= least - 1 && FigureOf(limit) <= least + 64, reason,
           "the answer is no such margin above");
    }
    if (cpu) UsedCores(reason);
  }

  void TriedAndShort(const Amount& limit, double figure, const std::string& reason) {
    Need(Any([&](const Trial& trial) {
           const auto amount = trial.limits.Find(limit.kind());
           const std::string& verdict = trial.verdict;
           const bool of_memory = verdict.find("memory") != std::string::npos ||
                                  verdict.find("did not start") != std::string::npos ||
                                  verdict.find("read again") != std::string::npos;
           return IsProof(trial) && !trial.passed && amount && Agree(figure, FigureOf(*amount)) &&
                  (limit.kind() == ResourceKind::kMemory) == of_memory;
         }),
         reason, "no run with so much failed for want of it");
    Need(figure < FigureOf(limit), reason, "the answer is no more");
  }

  // By the utilization law, in the run under the objective's load.
  void UsedCores(const std::string& reason) {
    std::smatch found;
    if (!std::regex_search(reason, found, std::regex("the rows used ([0-9.]+) cores"))) return;
    const double said = std::stod(found[1]);
    for (const Trial& trial : trials_) {
      if (trial.purpose != TrialPurpose::kLoad) continue;
      const Measurements& run = trial.measurements;
      const double served = run.queries_per_second.value_or(0);
      const double used = served * run.cpu_seconds_per_query.value_or(0);
      const double rate = profile_.request.objective.requests_per_second.value_or(served);
      const double by_rate = rate * run.cpu_seconds_per_query.value_or(0);
      Need(std::abs(said - used) <= 0.05 + 0.1 * used ||
               std::abs(said - by_rate) <= 0.05 + 0.1 * by_rate,
           reason, "the load used " + std::to_string(used));
    }
  }

  void NoAnswer() {
    if (!profile_.no_answer) return Need(!Says("No answer for"), "No answer", "there is none");
    const std::string& message = profile_.no_answer->message;
    Need(!profile_.recommendation, message, "an answer stands beside it");
    Need(Says(message), message, "is not printed");
    Need(!Any([](const Trial& trial) {
      return trial.purpose == TrialPurpose::kVerification && trial.passed;
    }),
         message, "a container held the objective");
    const auto& nearest = profile_.no_answer->nearest;
    if (!nearest) return;
    const auto misses = [&](const Trial& trial) {
      return trial.purpose == TrialPurpose::kVerification && !trial.passed &&
             trial.limits == nearest->limits;
    };
    Need(std::count_if(trials_.begin(), trials_.end(), misses) >= 2, message,
         "two containers did not miss it");
    Need(Any([&](const Trial& trial) {
           return misses(trial) && trial.verdict == nearest->short_of &&
                  trial.measurements.latency_p95_ms == nearest->latency_p95_ms &&
                  trial.measurements.queries_per_second == nearest->queries_per_second;
         }),
         message, "the nearest run is not among the trials");
    Need(message.find(nearest->short_of) != std::string::npos, message, "is of another run");
  }

  void Measured() {
    if (!profile_.measurements || !Says("Measured at")) return;
    const Limits& at = profile_.measurements->measured_at;
    const auto total = profile_.measurements->total_queries;
    Need(Any([&](const Trial& trial) {
           return trial.limits.cpu() == at.cpu() && trial.limits.memory() == at.memory() &&
                  trial.measurements.total_queries == total;
         }),
         "Measured at", "no trial was");
  }

  void Warned() {
    const std::string noise = profile_.host ? profile_.host->noise : "";
    for (const Warning& warning : profile_.warnings) {
      if (warning.code == "noisyHost") {
        Need(warning.message.ends_with(": " + noise), warning.message, "host.noise is " + noise);
      }
      if (warning.code == "unverified") {
        Need(profile_.recommendation && !profile_.recommendation->verified, warning.message,
             "there is no unverified answer");
      }
    }
    Need(IsNoisy() || noise.empty() || noise.starts_with("quiet"), noise, "nothing warns of it");
  }

  const Profile& profile_;
  const std::span<const Trial> trials_;
  const std::string text_;
  std::vector<std::string> untrue_;
};

}  // namespace mlprof::server
