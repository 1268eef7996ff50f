// Whether the CPU of an answer was decided by so few requests that another profile may tell another
// amount: where a quota stops about as many as p99 leaves beyond it, at one limit as at the next.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/units/cores.h"
#include "server/analysis/beside_reference.h"
#include "server/analysis/recommend.h"

namespace mlprof::server {

/// The least CPU below `answer`, two steps and more, of which no try shows that it is too little:
/// each at that limit or above failed for so few of its slowest requests that more might have held,
/// at 95% confidence, or beside a run that held. nullopt where there is none: one step is within
/// what any answer may be off by. `step_held`: one step less held where it was tried again.
std::optional<Cores> LeastInDoubt(Cores answer, std::span<const FailedTry> failed, bool step_held);

/// The slowest requests of all containers that proved an answer.
struct ProvenTails {
  double stopped = 0;  // requests that the quota stopped for longer than p99 allows
  std::size_t requests = 0;
};

/// Where those, counted together, are too many to show at 95% confidence that p99 holds; nullopt
/// where they show it, or p99 was not counted in each.
std::optional<ProvenTails> TailsInDoubt(std::span<const std::optional<Tail>> tails);

}  // namespace mlprof::server
