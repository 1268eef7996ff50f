#include "server/devices/xspace/row_ops.h"

#include <algorithm>
#include <map>

#include "server/devices/xspace/op_metrics.h"
#include "server/devices/xspace/ratio.h"
#include "server/devices/xspace/restricted_trace.h"

namespace mlprof::server::xspace {
namespace {

constexpr double kPsOfRowMs = 1e9;

// How many rows were under way, as a sum over time that can be asked between any two moments.
class InFlight {
 public:
  explicit InFlight(const RowVisits& visits) {
    std::map<std::int64_t, double> steps;
    const auto add = [&steps](const Span& span) {
      steps[span.start_ps] += 1;
      steps[span.end_ps()] -= 1;
    };
    for (const RowVisit& visit : visits.visits) add(visit.span);
    for (const Span& span : visits.others) add(span);
    double rows = 0;
    double sum = 0;
    std::int64_t at = 0;
    for (const auto& [ps, step] : steps) {
      sum += rows * static_cast<double>(ps - at);
      at = ps;
      rows += step;
      edges_.push_back({ps, sum, rows});
    }
  }

  double MeanWithin(const Span& span) const {
    return Ratio(Until(span.end_ps()) - Until(span.start_ps),
                 static_cast<double>(span.duration_ps));
  }

 private:
  struct Edge {
    std::int64_t ps;
    double sum;   // up to it
    double rows;  // from it on
  };

  double Until(std::int64_t ps) const {
    const auto behind =
        std::upper_bound(edges_.begin(), edges_.end(), ps,
                         [](std::int64_t when, const Edge& edge) { return when < edge.ps; });
    if (behind == edges_.begin()) return 0;
    const Edge& edge = *(behind - 1);
    return edge.sum + edge.rows * static_cast<double>(ps - edge.ps);
  }

  std::vector<Edge> edges_;
};

RowOps TimesOf(std::uint32_t row, const std::vector<RowVisit>& visits, const InFlight& in_flight) {
  RowOps out;
  out.row = row;
  out.visits = visits.size();
  const auto count = static_cast<double>(visits.size());
  for (const RowVisit& visit : visits) {
    const double ms = static_cast<double>(visit.span.duration_ps) / kPsOfRowMs;
    out.latency_ms += ms / count;
    out.slowest_ms = std::max(out.slowest_ms, ms);
    out.others_in_flight += std::max(0.0, in_flight.MeanWithin(visit.span) - 1) / count;
  }
  return out;
}

// By the row's share, so that visits of one row that overlap are told alike.
RowOp OpOfRow(const Op& op, const OpTable& table, double row_ps, const RowOps& row) {
  const double share = Ratio(op.self_ps, row_ps);
  const auto program = table.programs.find(op.program_id);
  return {op.name,
          std::string(CutName(op.category)),
          program == table.programs.end() ? "" : program->second,
          share * row.latency_ms,
          share,
          op.occurrences / static_cast<double>(row.visits)};
}

void AddOps(const OpTable& table, double row_ps, RowOps& row) {
  row.ops_share = Ratio(table.SelfPs(), row_ps);
  row.ops_ms = row.ops_share * row.latency_ms;
  std::vector<const Op*> order;
  for (const Op& op : table.ops) order.push_back(&op);
  const std::size_t count = std::min(kTopOpsOfRow, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [](const Op* a, const Op* b) {
                      return a->self_ps != b->self_ps ? a->self_ps > b->self_ps : a->name < b->name;
                    });
  for (std::size_t i = 0; i < count && order[i]->self_ps > 0; ++i) {
    row.top.push_back(OpOfRow(*order[i], table, row_ps, row));
  }
}

}  // namespace

std::vector<RowOps> SlowestRows(const Trace& trace, const RowVisits& all,
                                const std::vector<RowVisit>& asked, std::size_t most,
                                const TimeLimit& time) {
  std::map<std::uint32_t, std::vector<RowVisit>> by_row;
  for (const RowVisit& visit : asked) by_row[visit.row].push_back(visit);
  const InFlight in_flight(all);
  std::vector<RowOps> rows;
  for (const auto& [row, own] : by_row) rows.push_back(TimesOf(row, own, in_flight));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RowOps& a, const RowOps& b) { return a.latency_ms > b.latency_ms; });
  if (rows.size() > most) rows.resize(most);
  RestrictedTrace part(trace);
  for (RowOps& row : rows) {
    if (time.OverNow()) break;
    const Trace& of_row = part.To(SpansOf(by_row[row.row]), time);
    AddOps(CollectOps(of_row, time), static_cast<double>(*of_row.part_ps), row);
  }
  return rows;
}

}  // namespace mlprof::server::xspace
