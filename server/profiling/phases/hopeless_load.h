// A load that cannot hold any more: the model reads its files back all the time, and every request
// is far too slow. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "server/profiling/phases/reference.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// So many requests tell it of a load; of what comes before it, half of them.
inline constexpr std::size_t kRequestsOfHopelessLoad = 10;

/// Whether `sent`, of `least` requests and more, was hopeless throughout. `pages_read_back`: of
/// files, meanwhile.
bool IsHopeless(const Yardstick& yardstick, const ReplayResult& sent, std::int64_t pages_read_back,
                std::size_t least);

}  // namespace mlprof::server::phases
