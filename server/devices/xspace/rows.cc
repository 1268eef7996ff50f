// The rows of the replay that took longest, with the operations that took their time.
#include <set>

#include "server/devices/xspace/part_asked.h"
#include "server/devices/xspace/row_ops.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {
namespace {

Json RowOpJson(const RowOp& op) {
  return {{"name", op.name},
          {"category", op.category},
          {"program", op.program},
          {"selfTimeInMs", op.self_ms},
          {"selfTimePercent", 100 * op.share},
          {"occurrences", op.occurrences}};
}

Json RowOpsJson(const RowOps& row) {
  Json top = Json::array();
  for (const RowOp& op : row.top) top.push_back(RowOpJson(op));
  return {{"row", row.row},
          {"visits", row.visits},
          {"latencyInMs", row.latency_ms},
          {"slowestInMs", row.slowest_ms},
          {"othersInFlight", row.others_in_flight},
          {"opTimeInMs", row.ops_ms},
          {"opTimePercent", 100 * row.ops_share},
          {"topOps", std::move(top)}};
}

}  // namespace

Result<Json> RowsOfTrace(const Trace& trace, const ToolOptions& options) {
  MLPROF_LET(chosen, VisitsAsked(options));
  const std::vector<RowVisit>& visits = chosen ? *chosen : options.rows->visits;
  Json rows = Json::array();
  for (const RowOps& row : SlowestRows(trace, *options.rows, visits, options.top, options.time)) {
    rows.push_back(RowOpsJson(row));
  }
  std::set<std::uint32_t> distinct;
  for (const RowVisit& visit : visits) distinct.insert(visit.row);
  Json out = {{"visitCount", visits.size()}, {"rowCount", distinct.size()}};
  if (options.rows->left_out > 0) out["visitsLeftOut"] = options.rows->left_out;
  if (distinct.size() > rows.size()) out["rowsLeftOut"] = distinct.size() - rows.size();
  out["rows"] = std::move(rows);
  return out;
}

}  // namespace mlprof::server::xspace
