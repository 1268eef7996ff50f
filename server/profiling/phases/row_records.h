// From requests to what is known of each row. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/domain/row_source.h"
#include "common/domain/trial.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// One record for each row that was replayed, in the dataset's order; medians over its replays
/// (three or one: a first visit among three is not the median), and the largest of its memory
/// rises. `earlier`: the first visits of rows before this replay; of the others the first here
/// counts, where it was not the only one.
std::vector<RowRecord> MakeRowRecords(const RowSource& rows, const ReplayResult& replay,
                                      std::span<const RequestRecord> earlier = {});

/// Those of `requests` whose row was visited before, among `earlier` or themselves. All of them
/// where none was: a cold figure is better than none.
std::vector<RequestRecord> LaterVisits(std::span<const RequestRecord> earlier,
                                       std::span<const RequestRecord> requests);

/// The rows that cost most: the five heaviest each by memory, by CPU time, by latency and by size.
std::vector<std::uint32_t> HeavyRows(const std::vector<RowRecord>& records);

/// Cores the rows keep busy when nothing holds them up: the sum over the rows of their least CPU
/// time by the sum of their shortest latencies. Other work on the host makes a row take longer,
/// never its CPU time more, so this does not fall on a busy host as a mean over time does. Takes
/// requests that were sent one at a time; a row whose CPU time was never attributed is left out.
std::optional<double> UnhinderedCores(std::span<const RequestRecord> requests);

/// Mean attributed CPU time of a successful request; nullopt where none was attributed.
std::optional<double> MeanCpuSeconds(std::span<const RequestRecord> requests);

}  // namespace mlprof::server::phases
