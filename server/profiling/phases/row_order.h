// Rows that fail in one order and not in another: a server that keeps state between requests. Pure.
#pragma once

#include <span>
#include <string>

#include "server/profiling/budget/run_end.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// A line on the rows of `replay` that failed and were answered `in_order`, as the dataset has
/// them; "" where there are none.
std::string OrderNote(std::span<const RequestRecord> in_order,
                      std::span<const RequestRecord> replay);

/// Whether the model cannot be measured for it: most of the rows fail in an order that is not the
/// dataset's, and were answered when they first came, in that.
bool OrderDecides(std::span<const RequestRecord> in_order, std::span<const RequestRecord> replay);

/// `end` with that line in its error.
tl::unexpected<RunEnd> NameOrder(RunEnd end, std::span<const RequestRecord> in_order,
                                 std::span<const RequestRecord> replay);

}  // namespace mlprof::server::phases
