#include "client/cli/output/answer_details.h"

#include "client/cli/output/text.h"

namespace mlprof::cli {
namespace {

std::string Memory(Bytes bytes) { return InMib(bytes) + " (" + Figure(bytes.gib(), 6) + " GiB)"; }

std::string Sustained(const Recommendation& answer) {
  std::string out;
  if (answer.max_concurrency) out = std::to_string(*answer.max_concurrency) + " at a time";
  if (answer.max_requests_per_second) {
    out += (out.empty() ? "" : ", ") + Figure(*answer.max_requests_per_second) + " requests/s";
  }
  return out.empty() ? out : "up to " + out;
}

void WriteBound(const char* label, const std::string& range, Confidence confidence,
                const std::string& reason, Details& details) {
  details.Line(label, range + ", " + std::string(Text(confidence)) + " confidence");
  details.Line(" ", reason);
}

}  // namespace

std::string_view Text(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh: return "high";
    case Confidence::kMedium: return "medium";
    case Confidence::kLow: return "low";
  }
  return "low";
}

std::string Text(const Objective& objective) {
  std::string out = std::to_string(objective.ConcurrencyOrOne()) + " at a time";
  if (objective.requests_per_second) {
    out = Figure(*objective.requests_per_second) + " requests/s " +
          (objective.arrivals == Arrivals::kConstant ? "evenly spaced" : "at random times");
  }
  for (const auto& [percentile, ms] : objective.latency_ms) {
    out += ", " + percentile + " up to " + Milliseconds(ms);
  }
  if (objective.max_error_rate > 0) {
    out += ", at most " + Figure(objective.max_error_rate * 100) + "% errors";
  }
  return out;
}

std::string Text(const std::map<std::string, std::string>& environment) {
  std::string out;
  for (const auto& [name, value] : environment) {
    out += (out.empty() ? "" : " ") + name + "=" + value;
  }
  return out;
}

void WriteNumbers(const Recommendation& answer, Details& details) {
  details.Plain("");
  details.Plain("    " + Text(answer.requested.cpu) + "    " + Memory(answer.requested.memory));
  details.Plain("");
}

void WriteBounds(const Recommendation& answer, Details& details) {
  WriteBound("CPU", Figure(answer.cpu.low.value(), 4) + " to " + Text(answer.cpu.high),
             answer.cpu.confidence, answer.cpu.reason, details);
  WriteBound("memory", InMib(answer.memory.low) + " to " + InMib(answer.memory.high),
             answer.memory.confidence, answer.memory.reason, details);
}

void WriteTerms(const Recommendation& answer, Details& details) {
  details.Line("sustains", Sustained(answer));
  details.Line("set", Text(answer.environment_variables));
}

}  // namespace mlprof::cli
