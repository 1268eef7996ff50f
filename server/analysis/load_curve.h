// Curves of load: where more concurrency stops giving more throughput, and which load to try next
// for the most that is borne. Pure.
#pragma once

#include <optional>
#include <span>

#include "common/domain/findings.h"

namespace mlprof::server {

/// Whether a load curve of doubling concurrency (`levels` by concurrency) need not go on: each of
/// the last two doublings gained less than 5%, or more than 1% of the last level's requests failed.
bool LoadSaturated(std::span<const LoadLevel> levels);

/// The first level with at least 95% of the best throughput, among those with at most 1% errors;
/// nullopt where none served, and where the curve was cut off before it saturated: more in flight
/// may bring more then.
std::optional<int> KneeConcurrency(std::span<const LoadLevel> levels);

/// How much more load is borne than one that is known to be: twice as much each time until it is
/// too much, then between what was borne and what was not.
class LoadLadder {
 public:
  /// `borne` is, and nothing above `most` is tried; all above 0. `whole`: only whole numbers are.
  LoadLadder(double borne, double most, bool whole);

  /// What to try next; nullopt when enough is known, and after a few tries.
  std::optional<double> Next() const;
  /// The outcome of what Next() named.
  void Tell(double tried, bool borne);
  /// The highest known to be borne.
  double borne() const { return borne_; }

 private:
  double borne_;
  const double most_;
  const bool whole_;
  std::optional<double> too_much_;  // the lowest known to be
  int tries_ = 0;
};

}  // namespace mlprof::server
