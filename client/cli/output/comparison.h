// Two profiles side by side: what each answered, measured and found, and by how much that changed.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "client/cli/output/format.h"
#include "common/domain/profile.h"

namespace mlprof::client::cli {

struct ComparedFigure {
  std::string name;  // its place in the Profile resource: "recommendation.requestedCpu"
  std::string label;
  Json before;  // null where the profile does not have it
  Json after;
  std::string shown_before;
  std::string shown_after;
  std::string shown_change;   // "+0.1 cores (+25%)"; "" where there is none to tell
  bool within_noise = false;  // the change is no more than a noisy host may make of nothing
};

struct Comparison {
  std::string before;  // names
  std::string after;
  /// Why a change of a figure need not be one of the model; sentences. Empty: comparable.
  std::vector<std::string> not_comparable;
  /// What lowers the confidence in a comparison that can be made; sentences.
  std::vector<std::string> reservations;
  std::vector<ComparedFigure> figures;  // those at least one of them has
};

Comparison Compare(const Profile& before, const Profile& after);

Json ComparisonJson(const Comparison& comparison);
Table ComparisonTable(const Comparison& comparison);
std::string ComparisonDetails(const Comparison& comparison);

}  // namespace mlprof::client::cli
