// In which order the rows are replayed, and how far a load got in it. Pure: the same seed gives the
// same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "server/analysis/latency.h"

namespace mlprof::server {

/// As many rows as p95 leaves one of.
inline constexpr std::size_t kBlockRows = 20;

/// `rows` from the cheapest to the dearest, as far as that is known. They are dealt into blocks of
/// about kBlockRows, each with its share of cheap and dear ones, whatever the seed: loads of one
/// length reach the same rows in every container, and as many heavy ones for every seed. Within a
/// block `container` decides.
std::vector<std::uint32_t> BlockedOrder(std::span<const std::uint32_t> rows,
                                        std::uint64_t container);

/// Of so many rows in such an order: how many lie in the blocks that so many requests went through
/// to their end; all of them after a whole pass; what was reached at all where that is less than a
/// block.
std::size_t RowsOfWholeBlocks(std::size_t rows, std::size_t requests);
/// The fewest requests, `requests` at least, that end with a block; as many as asked for where
/// there are fewer rows.
std::size_t UpToWholeBlock(std::size_t rows, std::size_t requests);

/// The rows that were visited, by their median latency.
std::vector<std::uint32_t> RowsByLatency(std::span<const Visit> visits);

}  // namespace mlprof::server
