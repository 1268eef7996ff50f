#include "client/cli/output/answer_details.h"

#include "client/cli/output/text.h"

namespace mlprof::client::cli {
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

std::string Requested(const Amount& amount) {
  switch (amount.kind()) {
    case ResourceKind::kCpu: return Text(amount.cores());
    case ResourceKind::kMemory: return Memory(amount.bytes());
    case ResourceKind::kDeviceMemory: break;
  }
  const char* devices = amount.count() == 1 ? " device of " : " devices of ";
  return std::to_string(amount.count()) + devices + Memory(amount.bytes());
}

std::string Range(const Amount& low, const Amount& high) {
  switch (low.kind()) {
    case ResourceKind::kCpu: return Figure(low.cores().value(), 4) + " to " + Text(high.cores());
    case ResourceKind::kMemory:
    case ResourceKind::kDeviceMemory: break;
  }
  return InMib(low.bytes()) + " to " + InMib(high.bytes());
}

const char* Label(ResourceKind kind) {
  return kind == ResourceKind::kCpu ? "CPU" : RulesOf(kind).key;
}

void WriteBound(const char* label, const Bound& bound, Details& details) {
  details.Line(label, Range(bound.low, bound.high) + ", " + std::string(Text(bound.confidence)) +
                          " confidence");
  details.Line(" ", bound.reason);
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
  std::string numbers;
  for (const Amount& amount : answer.requested.All()) numbers += "    " + Requested(amount);
  details.Plain(numbers);
  details.Plain("");
}

void WriteBounds(const Recommendation& answer, Details& details) {
  for (const ResourceKind kind : kResources) {
    if (const Bound* bound = answer.bounds.Find(kind)) WriteBound(Label(kind), *bound, details);
  }
}

void WriteTerms(const Recommendation& answer, Details& details) {
  details.Line("sustains", Sustained(answer));
  details.Line("set", Text(answer.environment_variables));
}

}  // namespace mlprof::client::cli
