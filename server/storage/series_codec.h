// The points of a series as a blob: a version byte 1; 1 where every value is whole, else 0; then
// for every point its time's difference to the one before it (the first: to zero), in nanoseconds,
// and its value: whole ones as the difference to the one before, others as 8 bytes. Differences are
// signed variable-length integers: a level in bytes that hardly moves takes five bytes a point.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/series.h"
#include "common/result/result.h"

namespace mlprof::server {

std::string EncodePoints(std::span<const SeriesPoint> points);
/// kInternal for bytes that are none of EncodePoints'.
Result<std::vector<SeriesPoint>> DecodePoints(std::string_view bytes);

}  // namespace mlprof::server
