// Series as GET /profiles/{name}/samples gives them: {"series": {name: [[seconds, value]…]},
// "seriesInfo": {name: {"unit", "source"}}}.
#pragma once

#include <span>
#include <vector>

#include "common/domain/series.h"
#include "common/json/json.h"

namespace mlprof {

/// Names are taken to differ.
Json EncodeSeries(std::span<const Series> all);
/// Lenient, as of a server: what is no pair of numbers is left out, and where no unit or source is
/// told ("seriesInfo" is younger than the rest) it stays "". Sorted by name.
std::vector<Series> DecodeSeries(const Json& json);

}  // namespace mlprof
