#include "server/analysis/load_ladder.h"

#include <algorithm>
#include <cmath>

namespace mlprof::server {
namespace {

// As many short loads as fit into the share of the budget (kSustained); chosen, not measured.
constexpr int kMostTries = 5;
// A short run cannot tell a load from a known one that is nearer than this. Chosen, not measured.
constexpr double kWorthATry = 1.08;

}  // namespace

LoadLadder::LoadLadder(double borne, double most, bool whole)
    : borne_(borne), most_(most), whole_(whole) {}

std::optional<double> LoadLadder::Next() const {
  if (tries_ == kMostTries) return std::nullopt;
  double next = too_much_ ? (borne_ + *too_much_) / 2 : std::min(2 * borne_, most_);
  if (whole_) next = std::floor(next);
  if (next < kWorthATry * borne_) return std::nullopt;
  return next;
}

void LoadLadder::Tell(double tried, bool borne) {
  ++tries_;
  if (borne) {
    borne_ = std::max(borne_, tried);
  } else {
    too_much_ = std::min(too_much_.value_or(tried), tried);
  }
}

}  // namespace mlprof::server
