// A comparison of variants: alternatives of one profile, each profiled by itself, and what came out
// of them side by side.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/profile.h"

namespace mlprof {

/// What is different in one alternative; absent and empty: as the comparison has it.
struct Variant {
  std::string name;                                 // unique within the comparison
  std::optional<InferenceConfig> inference_config;  // in place of the whole one
  std::optional<std::string> image;                 // these three of a config with an image
  std::optional<std::vector<std::string>> command;
  std::optional<std::vector<std::string>> args;
  std::map<std::string, std::string> environment_variables;  // added, and in place of their like
  std::optional<Objective> objective;                        // in place of the whole one
  bool operator==(const Variant&) const = default;
};

/// What a replica's resources cost an hour, in a currency that nobody names. As they are, a
/// core-hour is the unit, and 9.1 GiB cost as much as one core: the ratio of the published prices
/// of a container service that bills both ($0.04048 a core-hour, $0.004445 a GiB-hour; AWS Fargate,
/// Linux on x86, us-east-1, 2026).
struct Prices {
  double core_hour = 1;
  double gib_hour = 0.11;
  bool operator==(const Prices&) const = default;
};

/// By which cost variants are ranked.
enum class RankBy {
  kMillionRequests,  // what a million requests cost, under the objective's load
  kReplica,          // what one replica costs an hour
};
std::string_view Name(RankBy by);  // "millionRequests" | "replica"
std::optional<RankBy> ParseRankBy(std::string_view name);

struct VariantComparisonRequest {
  /// What all variants have in common. Its name is the comparison's, and its budget that of all of
  /// them together.
  ProfileRequest base;
  std::vector<Variant> variants;
  Prices prices;
  RankBy rank_by = RankBy::kMillionRequests;
};

/// What is stored of a comparison: the question, and the profiles that answer it.
struct ComparisonRecord {
  std::string id;
  std::string workspace;
  Timestamp created{};
  VariantComparisonRequest request;
  std::vector<std::string> profile_ids;  // of the variants, in their order
};

/// What is known of a variant.
enum class VariantOutcome {
  kWaiting,
  kRunning,
  kProven,      // fresh containers held the objective at its answer
  kUnproven,    // it has an answer that the budget did not hold the proof of
  kNoAnswer,    // it runs, and no limit holds the objective
  kEndedEarly,  // a proven one is cheaper and no slower, so it was not profiled to its end
  kFailed,
  kCanceled,
  kDeleted,  // its profile was
};
std::string_view Name(VariantOutcome outcome);  // "waiting", …
std::optional<VariantOutcome> ParseVariantOutcome(std::string_view name);

/// The figures by which variants are compared: of the answer's limits where it is proven, else of
/// what was known when its profile ended.
struct VariantFigures {
  Limits requested;
  std::optional<double> p95_ms;
  std::optional<double> requests_per_second;  // under the objective's load
  double cost_per_hour = 0;                   // of one replica
  std::optional<double> cost_per_million;     // requests; absent: not proven, or not known
};

struct VariantResult {
  Variant variant;
  std::string profile;     // its name
  std::string profile_id;  // of the run that the comparison started
  VariantOutcome outcome = VariantOutcome::kWaiting;
  std::string why;  // of an outcome that is no proof; a sentence, or ""
  Progress progress;
  std::optional<VariantFigures> figures;
  std::optional<int> rank;  // from 1; of those that are proven, then of the unproven
  /// No proven variant is as good in cost of a replica, p95 and throughput, and better in one.
  bool on_front = false;
};

/// The cheapest variant that holds the objective.
struct VariantChoice {
  std::string variant;
  std::string because;             // a sentence
  std::vector<std::string> close;  // variants that the measurement does not tell from it
};

enum class ComparisonState { kQueued, kRunning, kSucceeded, kFailed, kCanceled };
std::string_view Name(ComparisonState state);  // "Queued", …
std::optional<ComparisonState> ParseComparisonState(std::string_view name);
constexpr bool IsFinished(ComparisonState state) { return state >= ComparisonState::kSucceeded; }

/// A comparison as it is shown.
struct VariantComparison {
  std::string id;
  std::string workspace;
  ComparisonState state = ComparisonState::kQueued;
  Timestamp created{};
  std::optional<Timestamp> started;   // of the first of its profiles
  std::optional<Timestamp> finished;  // of the last
  VariantComparisonRequest request;
  std::vector<VariantResult> results;  // in the order of the variants
  std::optional<VariantChoice> choice;
};

/// The warning of a profile that was ended because a variant beside it is better; its message says
/// why.
inline constexpr const char* kEndedEarlyWarning = "endedEarly";

}  // namespace mlprof
