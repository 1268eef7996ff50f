// The rows that stand out of a dataset, named. Pure.
#pragma once

#include <span>
#include <vector>

#include "common/domain/findings.h"
#include "common/domain/trial.h"

namespace mlprof::server {

/// Rows whose CPU time, memory rise, latency or size is more than twice the median of all rows (and
/// for memory more than 8 MiB, for times more than 0.2 ms above it); the reasons in that order, at
/// most 5 rows for each, the largest first. CPU and latency of rows that answered 2xx alone; "size"
/// in bytes.
std::vector<HeavyRow> NameHeavyRows(std::span<const RowRecord> rows);

}  // namespace mlprof::server
