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

void WriteCapture(const ProfileCapture& capture, Details& details) {
  details.Line(Name(capture.load), LoadText(capture) + " for " + Duration(capture.seconds) + ": " +
                                       std::to_string(capture.events) + " events, " +
                                       Text(capture.size));
  details.Line("  p50", Change(capture.before.p50_ms, capture.during.p50_ms));
  details.Line("  p95", Change(capture.before.p95_ms, capture.during.p95_ms) + " (of " +
                            RowsText(capture.before.rows) + " and " +
                            RowsText(capture.during.rows) + ")");
  details.Line("  look at it", "mlprof trace " + capture.id);
}

}  // namespace

void WriteCaptures(const std::vector<ProfileCapture>& captures, Details& details) {
  if (captures.empty()) return;
  details.Heading("Device traces, taken behind the measuring");
  for (const ProfileCapture& capture : captures) WriteCapture(capture, details);
}

}  // namespace mlprof::client::cli
