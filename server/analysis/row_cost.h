// What the rows of a dataset cost: by their size, and which of them stand out. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/domain/findings.h"
#include "common/domain/trial.h"

namespace mlprof::server {

/// What a kibibyte of request costs: CPU time as base + slope × body size, by Theil-Sen over the
/// rows answered with 2xx, with the rank correlation (Spearman) of the two. Absent under 10 such
/// rows with CPU time, or where their sizes differ by less than a tenth and 16 bytes. Memory
/// likewise, over the rows whose peak is known.
std::optional<PayloadCost> FitPayloadCost(std::span<const RowRecord> rows);

/// The rows that stand out of a dataset, named: those whose CPU time, memory rise, latency or size
/// is more than twice the median of all rows (and for memory more than 8 MiB, for times more than
/// 0.2 ms above it); the reasons in that order, at most 5 rows for each, the largest first. CPU and
/// latency of rows that answered 2xx alone; "size" in bytes.
std::vector<HeavyRow> NameHeavyRows(std::span<const RowRecord> rows);

}  // namespace mlprof::server
