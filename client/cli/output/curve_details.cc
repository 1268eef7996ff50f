#include "client/cli/output/curve_details.h"

#include <string>

#include "client/cli/output/format.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {

void WriteCurve(const std::vector<CpuPoint>& curve, Details& details) {
  if (curve.size() < 2) return;
  Table table{{"CORES", "P50", "P95", "P99", "REQUESTS/S", "THROTTLED", "HELD"}, {}};
  for (const CpuPoint& point : curve) {
    table.rows.push_back(
        {Figure(point.cpu.value(), 4), Milliseconds(point.p50_ms), Milliseconds(point.p95_ms),
         point.p99_ms ? Milliseconds(*point.p99_ms) : "-", Figure(point.requests_per_second),
         Figure(100 * point.throttled_share) + "%", point.passed ? "yes" : "no"});
  }
  details.Heading("CPU limits that were tried");
  details.Block(Aligned(table), 2);
}

}  // namespace mlprof::client::cli
