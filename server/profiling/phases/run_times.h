// How long a run at some limits may take: what is given up after which time, and what the budget
// must hold for it. Pure.
#pragma once

#include <chrono>

#include "common/units/cores.h"
#include "server/profiling/budget/budget.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

/// A start with so much CPU that takes longer is given up: it is later than the objective allows,
/// or takes many times what it should.
std::chrono::milliseconds LongestStart(const Yardstick& yardstick, Cores cpu);

/// Within which a replay of `time` with so much CPU must have its last response.
std::chrono::nanoseconds LongestReplay(const Pace& pace, std::chrono::nanoseconds time, Cores cpu);

/// What so many runs take of the budget before their measured loads begin: starts that are not
/// added to it, heavy rows, warm-up.
std::chrono::nanoseconds TimeBeforeLoad(const Budget& budget, const Yardstick& yardstick,
                                        int runs = 1);

/// Whether one more run leaves enough of the budget for the three that prove an answer.
bool LeavesRoomToProve(const Budget& budget, const Yardstick& yardstick);

}  // namespace mlprof::server::phases
