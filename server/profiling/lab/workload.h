// What is replayed, and what is known of it so far. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "common/domain/objective.h"

namespace mlprof::server {

struct Workload {
  Objective objective;
  std::uint64_t seed = 1;            // of the rows' order
  std::size_t rows = 0;              // of the dataset
  std::set<std::uint32_t> left_out;  // they end the model
  /// The costliest, which no run that judges limits may leave out.
  std::vector<std::uint32_t> heavy = {};
  std::int64_t distinct_rows = 0;  // were replayed
  /// Mean of the rows that were measured one by one.
  std::optional<double> cpu_seconds_per_query = {};

  std::size_t rows_left() const { return rows - left_out.size(); }
};

}  // namespace mlprof::server
