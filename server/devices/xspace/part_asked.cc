#include "server/devices/xspace/part_asked.h"

namespace mlprof::server::xspace {
namespace {

Error NotRecorded(std::uint32_t row, const RowVisits& all) {
  if (all.visits.empty()) return NotFound("no row began and ended while the trace was recorded");
  std::string known;
  constexpr std::size_t kExamples = 3;
  for (std::size_t i = 0; i < all.visits.size() && i < kExamples; ++i) {
    known += (i > 0 ? ", " : "") + std::to_string(all.visits[i].row);
  }
  return NotFound("row " + std::to_string(row) +
                  " was not recorded from its beginning to its end; among those that were are " +
                  known + " (the tool rows lists them)");
}

}  // namespace

Status CheckRows(const ToolOptions& options) {
  if (options.rows != nullptr) return {};
  return Fail(
      Conflict("nothing is known of the rows of this trace: only those have some that a profile "
               "took itself (`profilerPort` in its inference config)"));
}

Result<std::optional<std::vector<RowVisit>>> VisitsAsked(const ToolOptions& options) {
  using Asked = std::optional<std::vector<RowVisit>>;
  if (!options.row && !options.slowest_percent) return Asked();
  MLPROF_TRY(CheckRows(options));
  Asked visits = options.row ? VisitsOf(*options.row, *options.rows)
                             : SlowestVisits(*options.slowest_percent, *options.rows);
  if (visits->empty()) return Fail(NotRecorded(options.row.value_or(0), *options.rows));
  return visits;
}

}  // namespace mlprof::server::xspace
