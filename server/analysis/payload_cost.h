// What a kibibyte of request costs. Pure.
#pragma once

#include <optional>
#include <span>

#include "common/domain/findings.h"
#include "common/domain/trial.h"

namespace mlprof::server {

/// CPU time as base + slope × body size, by Theil-Sen over the rows answered with 2xx, with the
/// rank correlation (Spearman) of the two. Absent under 10 such rows with CPU time, or where their
/// sizes differ by less than a tenth and 16 bytes. Memory likewise, over the rows whose peak is
/// known.
std::optional<PayloadCost> FitPayloadCost(std::span<const RowRecord> rows);

}  // namespace mlprof::server
