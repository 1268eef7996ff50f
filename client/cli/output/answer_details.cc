#include "client/cli/output/answer_details.h"

#include <algorithm>

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

std::string Workers(const Recommendation& answer) {
  if (!answer.workers) return "";
  const ServingWorkers& workers = *answer.workers;
  std::string out = std::to_string(workers.count) + " processes serve";
  if (workers.per_worker_memory) {
    out += ", each with " + Text(*workers.per_worker_memory) + " for itself";
  }
  if (workers.reached == workers.count) return out + "; every one of them had rows";
  return out + "; " + std::to_string(workers.reached) + " of them had rows";
}

std::string InPod(const std::optional<Cores>& cpu, Bytes memory) {
  const std::string milli = cpu ? std::to_string(cpu->millicores()) + "m" : "none";
  return "cpu " + milli + ", memory " + std::to_string(memory.count() >> 20) + "Mi";
}

void WritePod(const PodResources& pod, Details& details) {
  std::string text = "requests " + InPod(pod.requests_cpu, pod.memory) + "; limits " +
                     InPod(pod.limits_cpu, pod.memory);
  if (pod.startup_cpu) text += "; " + Text(*pod.startup_cpu) + " while it starts";
  details.Line("Kubernetes", text);
  details.Line(" ", pod.because);
}

std::string Unseen(const RareEvents& rare) {
  return "no kill in " + std::to_string(rare.requests) + " requests: at most " +
         Figure(100 * rare.upper_bound, 2) + "% of them, at 95% confidence";
}

const char* HowTold(NeededBy by) {
  switch (by) {
    case NeededBy::kCap: return "under the least cap that held";
    case NeededBy::kGrowth: return "taken as it was asked for";
    case NeededBy::kAsItIs: break;
  }
  return "as it reserves it";
}

std::string HowRead(const std::string& memory_from) {
  if (memory_from == "accounting") return "the driver's accounting of the model's process";
  if (memory_from == "processes") return "the model's processes, ten times a second";
  if (memory_from == "runtime") return "libtpu within the model's process, four times a second";
  return "what the whole device gained: processes were not told apart";
}

// What the device did under the objective's load; "" where it told nothing.
std::string DeviceUseText(const DeviceFindings& device) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (device.busy) add("busy " + Figure(100 * *device.busy, 0) + "% of the time");
  if (device.memory_busy) add("its memory " + Figure(100 * *device.memory_busy, 0) + "%");
  if (device.watts) add(Figure(*device.watts, 0) + " W");
  return text;
}

void WriteDevice(const DeviceFindings& device, Details& details) {
  details.Line(device.kind == DeviceKind::kTpu ? "TPU" : "GPU",
               InMib(device.needed) + " needed (" + HowTold(device.needed_by) + "), " +
                   InMib(device.reserved) + " reserved");
  if (!device.memory_from.empty()) details.Line(" ", "read from " + HowRead(device.memory_from));
  if (const std::string use = DeviceUseText(device); !use.empty()) details.Line(" ", use);
  if (!device.limit) return;
  const std::string by(Name(device.limit->by));
  details.Line(" ", "limited by " + by + ": " + device.limit->reason);
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

std::string TextOf(const Amount& amount) {
  return amount.kind() == ResourceKind::kCpu ? Text(amount.cores()) : InMib(amount.bytes());
}

// What was run and fell short is not part of the range.
std::string Range(const Bound& bound) {
  if (bound.low == bound.high) return TextOf(bound.high);
  const std::string low = bound.low.kind() == ResourceKind::kCpu
                              ? Figure(bound.low.cores().value(), 4)
                              : InMib(bound.low.bytes());
  if (bound.low_failed) return "more than " + low + ", up to " + TextOf(bound.high);
  return low + " to " + TextOf(bound.high);
}

const char* Label(ResourceKind kind) {
  return kind == ResourceKind::kCpu ? "CPU" : RulesOf(kind).key;
}

void WriteBound(const char* label, const Bound& bound, Details& details) {
  details.Line(label, Range(bound) + ", " + std::string(Text(bound.confidence)) + " confidence");
  details.Line(" ", bound.reason);
  if (bound.confidence != Confidence::kHigh && !bound.because.empty()) {
    details.Line(" ", "no surer: " + bound.because);
  }
}

// Of an answer that is not tight; profiles of before do not say which number is not.
std::string Loose(const Recommendation& answer) {
  std::string held;
  for (const Amount& amount : answer.requested.All()) {
    const Bound* bound = answer.bounds.Find(amount.kind());
    if (bound == nullptr || bound->tight.value_or(true)) continue;
    held += (held.empty() ? " of " : " and of ") + std::string(Label(amount.kind()));
  }
  return "no: one step less" + held + " held as well, but not surely enough to be the answer";
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

std::string Text(const Arrivals& arrivals) {
  switch (arrivals.kind) {
    case Arrivals::Kind::kPoisson: return "at random times";
    case Arrivals::Kind::kConstant: return "evenly spaced";
    case Arrivals::Kind::kGamma: return "at random times, gaps scattered by " + Figure(arrivals.cv);
    case Arrivals::Kind::kTrace: return "as recorded in " + arrivals.trace;
  }
  return "";
}

std::string Text(const Objective& objective) {
  std::string out = std::to_string(objective.ConcurrencyOrOne()) + " at a time";
  if (objective.requests_per_second) {
    out = Figure(*objective.requests_per_second) + " requests/s " + Text(objective.arrivals);
  }
  if (objective.connections == ConnectionUse::kPerRequest) out += ", a connection for each";
  if (objective.connections == ConnectionUse::kBoth) {
    out += ", over connections kept alive and a new one for each";
  }
  for (const auto& [percentile, ms] : objective.latency_ms) {
    out += ", " + percentile + " up to " + Milliseconds(ms);
  }
  if (objective.max_error_rate > 0) {
    out += ", at most " + Figure(objective.max_error_rate * 100) + "% errors";
  }
  if (objective.start_within_seconds) {
    out += ", started within " + Duration(*objective.start_within_seconds);
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

std::string StartText(const Recommendation& answer, const std::optional<Cores>& ceiling) {
  if (!answer.start) return "";
  const StartFigures& start = *answer.start;
  std::string out;
  if (start.at_limits) {
    out = Duration(start.at_limits->seconds) + " at " + Text(answer.requested.cpu()) + ", ";
  }
  out += Duration(start.at_ceiling.seconds) + " at " + (ceiling ? Text(*ceiling) : "the ceiling");
  out += "; " + Figure(start.at_ceiling.cpu_seconds) + " CPU seconds";
  return out + ", " + Text(start.startup_cpu) + " while it starts";
}

std::string Tight(const Recommendation& answer) {
  if (!answer.tight) return "";
  if (!*answer.tight) return Loose(answer);
  std::string tried;
  std::string least;
  for (const Amount& amount : answer.requested.All()) {
    const ResourceRules& rules = RulesOf(amount.kind());
    if (rules.search == LimitSearch::kHardCap) continue;  // its steps were its search's
    const bool at_floor = amount.units() <= rules.smallest.units();
    const std::string label = Label(amount.kind());
    if (at_floor) least += (least.empty() ? "" : " and ") + TextOf(rules.smallest) + " of " + label;
    if (!at_floor) tried += (tried.empty() ? "" : " and of ") + label;
  }
  std::string out = "yes: ";
  if (!tried.empty()) out += "one step less of " + tried + " was tried and failed";
  if (least.empty()) return out;
  return out + (tried.empty() ? "" : "; ") + least +
         " is the least there is, so less was not tried";
}

std::string Text(const NearestRun& run) {
  std::string out;
  for (const Amount& amount : run.limits.All()) out += (out.empty() ? "" : ", ") + TextOf(amount);
  out += ": ";
  if (run.queries_per_second) out += Figure(*run.queries_per_second) + " requests/s";
  if (run.requests_per_second) out += " of " + Figure(*run.requests_per_second) + " that were due";
  if (run.concurrency) out += " with " + std::to_string(*run.concurrency) + " at a time";
  if (run.latency_p95_ms) out += ", p95 " + Milliseconds(*run.latency_p95_ms);
  return out;
}

void WriteNoAnswer(const NoAnswer& no_answer, Details& details) {
  details.Plain("");
  details.Block(no_answer.message, 2);
  details.Plain("");
  if (!no_answer.nearest) return;
  details.Line("came nearest", Text(*no_answer.nearest));
  const std::string& lacked = no_answer.nearest->short_of;
  if (no_answer.message.find(lacked) == std::string::npos) details.Line("short of", lacked);
}

void WriteTerms(const Recommendation& answer, Details& details) {
  details.Line("sustains", Sustained(answer));
  details.Line("workers", Workers(answer));
  if (answer.device) WriteDevice(*answer.device, details);
  if (answer.kubernetes) WritePod(*answer.kubernetes, details);
  if (answer.rare_events) details.Line("rare", Unseen(*answer.rare_events));
  details.Line("set", Text(answer.environment_variables));
}

}  // namespace mlprof::client::cli
