// Which part of a trace a caller asks a tool about. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/result/result.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {

/// kConflict where the trace has no rows.
Status CheckRows(const ToolOptions& options);
/// The visits of the row, or the slowest ones, that the options name; nullopt where they name none.
/// kNotFound for a row that was not recorded; kConflict as above.
Result<std::optional<std::vector<RowVisit>>> VisitsAsked(const ToolOptions& options);

}  // namespace mlprof::server::xspace
