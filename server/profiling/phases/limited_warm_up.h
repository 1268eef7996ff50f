// The warm-up of a fresh container at some limits: every row once where first visits matter, then
// windows until one, or all of them together, take no more than the warm model of the reference
// does, or latency and CPU per request are steady or become no less, as they are or told by what
// its rows took in the reference.
#pragma once

#include <chrono>
#include <functional>

#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/reference.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

struct LimitedWarmUp {
  bool survived = true;    // the model lives and did not stall
  bool whole_pass = true;  // every row was visited, or need not be
  bool steady = false;
  bool as_fast_as_it_gets = false;  // not steady, and its windows become no faster
  bool lifted = false;              // the CPU limit was, while rows came for the first time
  /// All of its windows were, two and more (server/profiling/phases/hopeless_load.h): the rest was
  /// left out.
  bool hopeless = false;
  bool told = false;  // its windows told enough of the load, and the rest was left out
  /// Its windows, in the container's order, where it answered all rows, and was steady from the
  /// first of them on, as warm as the reference over all of them, or as fast as it gets, or where
  /// they told enough; else nothing.
  ReplayResult beginning = {};

  bool warm() const { return steady || as_fast_as_it_gets; }
};

/// Replays a plan that takes `time`; false where the run is over with it.
using ReplayForWarmUp =
    std::function<bool(const ReplayPlan& plan, std::chrono::nanoseconds time, ReplayResult&)>;

/// Whether the windows so far, if they are the beginning of the load, tell enough of it.
using ToldByWindows = std::function<bool(const ReplayResult& windows)>;

/// Whether such a warm-up is the beginning of the load of `plan`: rows one at a
/// time are the same in both, where nothing comes between. Pure.
bool BeginsTheLoad(const Yardstick& yardstick, const ReplayPlan& plan);

/// The container is at its limits again afterwards. Fails where they could not be set.
Result<LimitedWarmUp> WarmUpAtLimits(Lab& lab, const Yardstick& yardstick, Container& container,
                                     const ReplayForWarmUp& replay, const ToldByWindows& told = {});

/// What it takes, as far as the reference shows.
std::chrono::nanoseconds WarmUpTime(const Yardstick& yardstick);

/// All rows for the first time at `cpu`, with `concurrency` of them in flight. Pure.
std::chrono::nanoseconds FirstPassTime(const FirstPass& pass, int concurrency, Cores cpu);

}  // namespace mlprof::server::phases
