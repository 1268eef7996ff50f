#include "client/cli/output/capture_details.h"

#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

std::string LoadText(const ProfileCapture& capture) {
  if (capture.requests_per_second) return Figure(*capture.requests_per_second) + " rows/s";
  return std::to_string(capture.concurrency.value_or(1)) + " at a time";
}

std::string Change(const std::optional<double>& before, const std::optional<double>& during) {
  if (!before || !during) return "not known";
  return Milliseconds(*before) + " before, " + Milliseconds(*during) + " meanwhile";
}

std::string RowsText(std::int64_t rows) {
  return std::to_string(rows) + (rows == 1 ? " row" : " rows");
}

// "45.1 ms, 80% of it in convolution.3".
std::string RowText(const CapturedRow& row) {
  std::string text = Milliseconds(row.latency_ms);
  if (row.op.empty()) return text + ", no operation of XLA's in it";
  text += ", " + Figure(row.op_percent, 2) + "% of it in " + Visible(row.op);
  // Half a row beside it is what two at a time have where they take turns.
  constexpr double kAlone = 0.1;
  if (row.others_in_flight > kAlone) {
    text += " (its own and those of " + Figure(row.others_in_flight, 2) + " rows beside it)";
  }
  return text;
}

void WriteCosts(const CapturedCosts& costs, Details& details) {
  std::string text = costs.most == "none" ? "nothing stands out" : Visible(costs.most);
  if (costs.duty_cycle_percent) text += "; duty cycle " + Figure(*costs.duty_cycle_percent) + "%";
  if (costs.input_percent) text += "; waits for input " + Figure(*costs.input_percent) + "%";
  details.Line("  costs most", text);
  for (const std::string& advice : costs.advice) details.Line("", Visible(advice));
}

void WriteCapture(const ProfileCapture& capture, Details& details) {
  details.Line(Name(capture.load), LoadText(capture) + " for " + Duration(capture.seconds) + ": " +
                                       std::to_string(capture.events) + " events, " +
                                       Text(capture.size));
  details.Line("  p50", Change(capture.before.p50_ms, capture.during.p50_ms));
  details.Line("  p95", Change(capture.before.p95_ms, capture.during.p95_ms) + " (of " +
                            RowsText(capture.before.rows) + " and " +
                            RowsText(capture.during.rows) + ")");
  for (const CapturedRow& row : capture.slowest_rows) {
    details.Line("  row " + std::to_string(row.row), RowText(row));
  }
  if (capture.costs) WriteCosts(*capture.costs, details);
  details.Line("  look at it",
               "mlprof trace " + capture.id + (capture.slowest_rows.empty() ? "" : " --tool rows"));
}

}  // namespace

void WriteCaptures(const std::vector<ProfileCapture>& captures, Details& details) {
  if (captures.empty()) return;
  details.Heading("Device traces, taken behind the measuring");
  for (const ProfileCapture& capture : captures) WriteCapture(capture, details);
}

}  // namespace mlprof::client::cli
