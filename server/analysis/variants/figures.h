// What a profile gives for its comparison with others. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/domain/profile.h"
#include "common/domain/variant_comparison.h"

namespace mlprof::server {

/// nullopt where nothing is recommended. Latency is as it was measured: at the answer's limits
/// where it is proven, else at the ceiling. So is throughput, but of a rate, which is what is
/// asked.
std::optional<VariantFigures> FiguresOf(const Profile& profile, const Prices& prices);

/// As people read it: three significant digits.
std::string ThreeDigits(double value);

}  // namespace mlprof::server
