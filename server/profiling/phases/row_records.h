// From requests to what is known of each row. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/domain/dataset.h"
#include "common/domain/trial.h"
#include "server/replay/replay_plan.h"

namespace mlprof::phases {

/// One record for each row that was replayed, in the dataset's order; medians over its replays.
std::vector<RowRecord> MakeRowRecords(const Rows& rows, const ReplayResult& replay);

/// Cores the rows keep busy when nothing holds them up: the sum over the rows of their median CPU
/// time by the sum of their shortest latencies. Other work on the host makes a row take longer,
/// never its CPU time more, so this does not fall on a busy host as a mean over time does.
std::optional<double> UnhinderedCores(const ReplayResult& replay);

/// Mean attributed CPU time of a successful request; nullopt where none was attributed.
std::optional<double> MeanCpuSeconds(const ReplayResult& replay);

}  // namespace mlprof::phases
