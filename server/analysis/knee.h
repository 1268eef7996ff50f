// Where more concurrency stops giving more throughput. Pure.
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

}  // namespace mlprof::server
