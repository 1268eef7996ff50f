#include "client/cli/output/comparison_details.h"

#include <algorithm>

#include "client/cli/output/answer_details.h"
#include "client/cli/output/details.h"
#include "client/cli/output/pareto_plot.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

std::string OrDash(const std::optional<double>& value, const char* unit = "") {
  return value ? Figure(*value) + unit : "-";
}

// Those that have a rank by it, then the others in their own order.
std::vector<const VariantResult*> Ordered(const VariantComparison& comparison) {
  std::vector<const VariantResult*> ordered;
  for (const VariantResult& result : comparison.results) ordered.push_back(&result);
  static constexpr int kUnranked = 1'000'000;
  std::ranges::stable_sort(
      ordered, {}, [](const VariantResult* result) { return result->rank.value_or(kUnranked); });
  return ordered;
}

std::vector<std::string> VariantRow(const VariantResult& result) {
  std::vector<std::string> row = {result.rank ? std::to_string(*result.rank) : "-",
                                  result.variant.name, std::string(Name(result.outcome))};
  if (!result.figures) {
    row.insert(row.end(), 7, "-");
    return row;
  }
  const VariantFigures& figures = *result.figures;
  row.insert(row.end(), {Figure(figures.requested.cpu().value(), 4),
                         InMib(figures.requested.memory()), OrDash(figures.p95_ms, " ms"),
                         OrDash(figures.requests_per_second, "/s"), Figure(figures.cost_per_hour),
                         OrDash(figures.cost_per_million), result.on_front ? "yes" : "no"});
  return row;
}

void WriteChoice(const VariantComparison& comparison, Details& details) {
  if (comparison.choice) {
    const VariantChoice& choice = *comparison.choice;
    details.Line("recommended", choice.variant + ": " + choice.because);
    std::string close;
    for (const std::string& name : choice.close) close += (close.empty() ? "" : ", ") + name;
    details.Line("may be as cheap", close);
  } else if (IsFinished(comparison.state)) {
    details.Line("recommended", "none: no variant is proven to hold the objective");
  }
}

void WritePlots(const VariantComparison& comparison, Details& details) {
  for (const PlotAgainst against : {PlotAgainst::kLatency, PlotAgainst::kThroughput}) {
    const std::string plot = ParetoPlot(comparison.results, against);
    if (!plot.empty()) details.Plain("\n" + plot);
  }
}

void WriteReasons(const VariantComparison& comparison, Details& details) {
  for (const VariantResult& result : comparison.results) {
    if (!result.why.empty()) details.Line(result.variant.name, result.why);
  }
}

std::string PriceText(const Prices& prices) {
  return Figure(prices.core_hour) + " a core-hour, " + Figure(prices.gib_hour) + " a GiB-hour";
}

}  // namespace

Table ComparisonListTable(const ResourceList<VariantComparison>& comparisons) {
  Table table{{"NAME", "STATE", "VARIANTS", "RECOMMENDED", "CREATED"}, {}};
  for (const auto& [comparison, json] : comparisons) {
    table.rows.push_back({comparison.request.base.name, std::string(Name(comparison.state)),
                          std::to_string(comparison.results.size()),
                          comparison.choice ? comparison.choice->variant : "-",
                          Text(comparison.created)});
  }
  return table;
}

Table VariantTable(const VariantComparison& comparison) {
  Table table{{"RANK", "VARIANT", "OUTCOME", "CPU", "MEMORY", "P95", "THROUGHPUT", "COST/HOUR",
               "COST/MILLION", "FRONT"},
              {}};
  for (const VariantResult* result : Ordered(comparison)) table.rows.push_back(VariantRow(*result));
  return table;
}

std::string ComparisonDetails(const VariantComparison& comparison) {
  Details details;
  details.Heading("Comparison " + comparison.request.base.name + ": " +
                  std::to_string(comparison.results.size()) + " variants, " +
                  std::string(Name(comparison.state)));
  WriteChoice(comparison, details);
  details.Line("holds for", Text(comparison.request.base.objective));
  details.Line("prices", PriceText(comparison.request.prices));
  WriteReasons(comparison, details);
  WritePlots(comparison, details);
  return details.Take();
}

std::string ShortResult(const VariantResult& result) {
  std::string text = result.variant.name + ": " + std::string(Name(result.outcome));
  if (!result.why.empty()) return text + ": " + result.why;
  if (!result.figures) return text;
  text += ", " + Text(result.figures->requested.cpu()) + ", " +
          Text(result.figures->requested.memory());
  if (result.figures->p95_ms) text += ", p95 " + Milliseconds(*result.figures->p95_ms);
  return text;
}

// The table is wider than some terminals: its lines go whole, as those of lists do.
void PrintComparison(Session& session, const Resource<VariantComparison>& comparison) {
  const Table table = VariantTable(comparison.value);
  session.Print(JsonOfText(comparison.json), table);
  if (session.format() != OutputFormat::kTable) return;
  session.Print(Json(), {}, "\n" + ComparisonDetails(comparison.value));
}

}  // namespace mlprof::client::cli
