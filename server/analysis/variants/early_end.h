// Whether a variant is worth the rest of its time. Pure.
//
// It is not where another, proven under the same objective, is better in all that matters: clearly
// cheaper, no slower and with no less throughput. Asked of an answer that is not proven yet, whose
// latency and throughput were measured without limits, which only make them worse. Its limits are
// those that the proof would begin with; so nothing is asked before the search for CPU is over, by
// which a generous latency objective may bring them far below what the model uses at the ceiling.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/variant_comparison.h"

namespace mlprof::server {

/// A proof changes limits by a step or two of 0.1 cores and a tenth of the memory: what costs so
/// much more before it does not become the cheaper one. Chosen, not measured.
inline constexpr double kClearlyMore = 1.2;

struct RivalVariant {
  std::string name;
  const Profile* profile = nullptr;
};

/// Why `running`, whose `phase` has just ended, is beaten by one of the others; a sentence.
std::optional<std::string> WhyBeaten(const Profile& running, std::string_view phase,
                                     const std::vector<RivalVariant>& rivals, const Prices& prices);

}  // namespace mlprof::server
