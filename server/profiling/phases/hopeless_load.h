// A load that cannot hold any more: the model reads its files back all the time, and every request
// is far too slow. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "common/domain/sample.h"
#include "server/profiling/phases/reference.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// So many requests tell it of a load; of what comes before it, half of them.
inline constexpr std::size_t kRequestsOfHopelessLoad = 10;

/// Whether `sent`, of `least` requests and more, was hopeless throughout. `samples`: taken
/// meanwhile. What is read for the first time does not count as read back.
bool IsHopeless(const Yardstick& yardstick, const ReplayResult& sent,
                std::span<const Sample> samples, std::size_t least);

}  // namespace mlprof::server::phases
