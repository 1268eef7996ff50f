// How much more load is borne than one that is known to be: twice as much each time until it is too
// much, then between what was borne and what was not. Pure.
#pragma once

#include <optional>

namespace mlprof::server {

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
