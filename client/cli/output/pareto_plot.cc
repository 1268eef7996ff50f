#include "client/cli/output/pareto_plot.h"

#include <algorithm>
#include <cmath>

#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

constexpr int kColumns = 46;  // of the field; labels stand to its left
constexpr int kRows = 10;
constexpr std::size_t kLabelColumns = 10;
constexpr char kFrontMark = '\'';

struct PlotPoint {
  double cost = 0;
  double value = 0;
  int rank = 0;
  bool on_front = false;
};

std::vector<PlotPoint> PointsOf(const std::vector<VariantResult>& results, PlotAgainst against) {
  std::vector<PlotPoint> points;
  for (const VariantResult& result : results) {
    if (result.outcome != VariantOutcome::kProven || !result.figures) continue;
    const auto& value = against == PlotAgainst::kLatency ? result.figures->p95_ms
                                                         : result.figures->requests_per_second;
    if (!value) continue;
    points.push_back(
        {result.figures->cost_per_hour, *value, result.rank.value_or(0), result.on_front});
  }
  return points;
}

struct PlotRange {
  double low = 0;
  double high = 0;

  /// From 0 to `cells` - 1; the middle where all values are one.
  int CellOf(double value, int cells) const {
    if (high <= low) return cells / 2;
    return static_cast<int>(std::lround((value - low) / (high - low) * (cells - 1)));
  }
};

template <class Member>
PlotRange RangeOf(const std::vector<PlotPoint>& points, Member member) {
  const auto [low, high] = std::ranges::minmax(points, {}, member);
  return {low.*member, high.*member};
}

char MarkOf(int rank) {
  if (rank < 10) return static_cast<char>('0' + rank);
  return static_cast<char>(rank < 36 ? 'a' + rank - 10 : '+');
}

std::vector<std::string> FieldOf(const std::vector<PlotPoint>& points, const PlotRange& costs,
                                 const PlotRange& values) {
  std::vector<std::string> field(kRows, std::string(kColumns + 1, ' '));
  for (const PlotPoint& point : points) {
    std::string& line =
        field[static_cast<std::size_t>(kRows - 1 - values.CellOf(point.value, kRows))];
    const auto column = static_cast<std::size_t>(costs.CellOf(point.cost, kColumns));
    const bool taken = line[column] != ' ' && line[column] != kFrontMark;
    line[column] = taken ? '#' : MarkOf(point.rank);
    if (point.on_front && line[column + 1] == ' ') line[column + 1] = kFrontMark;
  }
  return field;
}

std::string Labelled(const std::string& label, const std::string& line) {
  const std::size_t width = std::min(Width(label), kLabelColumns);
  std::string out = std::string(kLabelColumns - width, ' ') + label + " |" + line;
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

}  // namespace

std::string ParetoPlot(const std::vector<VariantResult>& results, PlotAgainst against) {
  const std::vector<PlotPoint> points = PointsOf(results, against);
  if (points.size() < 2) return "";
  const PlotRange costs = RangeOf(points, &PlotPoint::cost);
  const PlotRange values = RangeOf(points, &PlotPoint::value);
  const bool latency = against == PlotAgainst::kLatency;
  const auto label = [&](double value) {
    return latency ? Milliseconds(value) : Figure(value) + "/s";
  };
  std::string out = latency ? "p95 against the cost of a replica an hour\n"
                            : "throughput against the cost of a replica an hour\n";
  const std::vector<std::string> field = FieldOf(points, costs, values);
  for (std::size_t row = 0; row < field.size(); ++row) {
    std::string text;
    if (row == 0) text = label(values.high);
    if (row + 1 == field.size() && values.high > values.low) text = label(values.low);
    out += Labelled(text, field[row]);
  }
  out += std::string(kLabelColumns + 1, ' ') + "+" + std::string(kColumns, '-') + "\n";
  const std::string low = Figure(costs.low);
  const std::string high = costs.high > costs.low ? Figure(costs.high) : "";
  const std::size_t gap = kColumns - std::min<std::size_t>(kColumns, low.size() + high.size());
  out += std::string(kLabelColumns + 2, ' ') + low + std::string(gap, ' ') + high + "\n";
  return out + std::string(kLabelColumns + 2, ' ') + "by rank; ' on the Pareto front";
}

}  // namespace mlprof::client::cli
