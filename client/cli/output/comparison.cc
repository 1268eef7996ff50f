#include "client/cli/output/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "client/cli/output/answer_details.h"
#include "client/cli/output/text.h"
#include "common/json/domain_json.h"

namespace mlprof::client::cli {
namespace {

enum class Unit { kNone, kCores, kBytes, kMilliseconds, kSeconds, kPerSecond, kShare, kHours };

// Of figures that other work on the host changes: it makes slow, and hardly large.
enum class Noise { kIndifferent, kSensitive };

struct Wanted {
  const char* name;  // dots between the members on the way
  const char* label;
  Unit unit = Unit::kNone;
  Noise noise = Noise::kIndifferent;
};

// A repeated measurement that differs by more than this is called noise, so a noisy run may differ
// by as much from a quiet one for nothing (server/analysis/noise.cc).
constexpr double kNoiseTolerance = 0.15;

constexpr std::array<Wanted, 40> kWanted = {{
    {"state", "state"},
    {"noAnswer.code", "no answer"},
    {"recommendation.requestedCpu", "CPU to request", Unit::kCores, Noise::kSensitive},
    {"recommendation.requestedMemoryInBytes", "memory to request", Unit::kBytes},
    {"recommendation.verified", "verified"},
    {"recommendation.tight", "tight"},
    {"recommendation.confidence", "confidence"},
    {"recommendation.environmentVariables", "environment"},
    {"recommendation.maxConcurrency", "sustains at a time"},
    {"recommendation.maxRequestsPerSecond", "sustains", Unit::kPerSecond, Noise::kSensitive},
    {"measurements.measuredAt.cpu", "measured at", Unit::kCores},
    {"measurements.measuredAt.memoryInBytes", "measured at", Unit::kBytes},
    {"measurements.successRate", "succeeded", Unit::kShare},
    {"measurements.measuredQueriesPerSecond", "throughput", Unit::kPerSecond, Noise::kSensitive},
    {"measurements.averageLatencyInMs", "latency, mean", Unit::kMilliseconds, Noise::kSensitive},
    {"measurements.latencyPercentile50InMs", "latency, p50", Unit::kMilliseconds,
     Noise::kSensitive},
    {"measurements.latencyPercentile95InMs", "latency, p95", Unit::kMilliseconds,
     Noise::kSensitive},
    {"measurements.latencyPercentile99InMs", "latency, p99", Unit::kMilliseconds,
     Noise::kSensitive},
    {"measurements.cpuSecondsPerQuery", "CPU a request", Unit::kSeconds, Noise::kSensitive},
    {"measurements.maxUtilizedCpu", "CPU, most in a second", Unit::kCores, Noise::kSensitive},
    {"measurements.throttledShare", "throttled periods", Unit::kShare},
    {"measurements.maxUtilizedMemoryInBytes", "memory, peak", Unit::kBytes},
    {"measurements.servingPeakMemoryInBytes", "memory, serving", Unit::kBytes},
    {"measurements.startPeakMemoryInBytes", "memory, starting", Unit::kBytes},
    {"measurements.startSeconds", "start", Unit::kSeconds, Noise::kSensitive},
    {"measurements.startCpuSeconds", "start, CPU", Unit::kSeconds},
    {"findings.load.kneeConcurrency", "knee at a time"},
    {"findings.cpu.serialInMs", "serial part", Unit::kMilliseconds, Noise::kSensitive},
    {"findings.cpu.workInMs", "parallel part", Unit::kMilliseconds, Noise::kSensitive},
    {"findings.cpu.parallelism", "parallelism", Unit::kCores},
    {"findings.memory.trend", "memory trend"},
    {"findings.memory.bytesPerRequest", "growth a request", Unit::kBytes},
    {"findings.memory.hoursToOutOfMemory", "out of memory after", Unit::kHours},
    {"findings.memory.hotFileInBytes", "file pages needed", Unit::kBytes},
    {"findings.memory.perConcurrentRequestInBytes", "memory a request in flight", Unit::kBytes},
    {"findings.payload.cpuPerKibInMs", "CPU a KiB of body", Unit::kMilliseconds},
    {"findings.threadPools.threads", "threads"},
    {"findings.threadPools.gain", "gain of fewer threads"},
    {"findings.heavyRows", "heavy rows"},
    {"findings.killingRows", "killing rows"},
}};

// "a.b" of {"a":{"b":1}}; null where any of it is missing.
Json At(const Json& json, std::string_view name) {
  const std::size_t dot = name.find('.');
  const auto member = json.is_object() ? json.find(name.substr(0, dot)) : json.end();
  if (!json.is_object() || member == json.end()) return nullptr;
  return dot == std::string_view::npos ? *member : At(*member, name.substr(dot + 1));
}

std::string ShownNumber(double value, Unit unit) {
  switch (unit) {
    case Unit::kNone: return Figure(value);
    case Unit::kCores: return Figure(value) + (value == 1 ? " core" : " cores");
    case Unit::kBytes: {
      const auto bytes = Bytes(static_cast<std::int64_t>(std::abs(value)));
      return (value < 0 ? "-" : "") + Text(bytes);
    }
    case Unit::kMilliseconds: return Milliseconds(value);
    case Unit::kSeconds:
      return std::abs(value) < 1 ? Milliseconds(value * 1000) : Figure(value) + " s";
    case Unit::kPerSecond: return Figure(value) + "/s";
    case Unit::kShare: return Figure(value * 100) + "%";
    case Unit::kHours: return Figure(value) + " h";
  }
  return Figure(value);
}

std::string Shown(const Json& value, Unit unit) {
  if (value.is_null()) return "-";
  if (value.is_number()) return ShownNumber(value.get<double>(), unit);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (value.empty()) return "none";
  if (value.is_object()) return Text(value.get<std::map<std::string, std::string>>());
  return std::to_string(value.size());
}

std::string Signed(const std::string& text) { return text.starts_with('-') ? text : "+" + text; }

std::string ShownChange(const Json& before, const Json& after, Unit unit) {
  if (!before.is_number() || !after.is_number()) {
    return before.is_null() || after.is_null() || before == after ? "" : "changed";
  }
  const double from = before.get<double>();
  const double change = after.get<double>() - from;
  if (change == 0) return "";
  if (unit == Unit::kShare) return Signed(Figure(change * 100)) + " points";
  std::string text = Signed(ShownNumber(change, unit));
  if (from != 0) {
    text += " (" + Signed(Figure(change / std::abs(from) * 100)) + "%)";
  }
  return text;
}

// An empty list and an empty object say nothing where the other has nothing either.
bool SaysNothing(const Json& value) {
  return value.is_null() || ((value.is_array() || value.is_object()) && value.empty());
}

std::string Host(const Profile& profile) {
  if (!profile.host) return "not known";
  return profile.host->cpu_model + ", " + std::to_string(profile.host->cores) + " cores";
}

std::vector<std::string> WhyNot(const Profile& before, const Profile& after) {
  std::vector<std::string> why;
  const auto differ = [&](const std::string& what, const std::string& a, const std::string& b) {
    if (a != b) why.push_back("different " + what + ": " + a + " and " + b);
  };
  differ("hosts", Host(before), Host(after));
  if (before.request.objective != after.request.objective) {
    differ("objectives", Text(before.request.objective), Text(after.request.objective));
  }
  differ("datasets", before.request.input_dataset_id, after.request.input_dataset_id);
  return why;
}

std::vector<std::string> Reservations(const Profile& before, const Profile& after) {
  std::vector<std::string> reservations;
  for (const Profile* profile : {&before, &after}) {
    if (!profile->host || profile->host->noise.empty()) continue;
    // "quiet, but …" tells of a small drift, which is no noise.
    if (profile->host->noise.starts_with("quiet")) continue;
    reservations.push_back(profile->request.name +
                           " was measured on a noisy host: " + profile->host->noise);
  }
  return reservations;
}

bool LiesWithinNoise(const ComparedFigure& figure) {
  if (!figure.before.is_number() || !figure.after.is_number()) return false;
  const double from = figure.before.get<double>();
  const double change = std::abs(figure.after.get<double>() - from);
  return change > 0 && change <= kNoiseTolerance * std::abs(from);
}

}  // namespace

Comparison Compare(const Profile& before, const Profile& after) {
  Comparison comparison{before.request.name,
                        after.request.name,
                        WhyNot(before, after),
                        Reservations(before, after),
                        {}};
  const bool noisy = !comparison.reservations.empty();
  if (comparison.before == comparison.after) {
    comparison.before = before.id;
    comparison.after = after.id;
  }
  const Json a = EncodeProfile(before);
  const Json b = EncodeProfile(after);
  for (const Wanted& wanted : kWanted) {
    ComparedFigure figure{wanted.name, wanted.label, At(a, wanted.name), At(b, wanted.name), {}, {},
                          {}};
    if (SaysNothing(figure.before) && SaysNothing(figure.after)) continue;
    figure.shown_before = Shown(figure.before, wanted.unit);
    figure.shown_after = Shown(figure.after, wanted.unit);
    figure.shown_change = ShownChange(figure.before, figure.after, wanted.unit);
    figure.within_noise = noisy && wanted.noise == Noise::kSensitive && LiesWithinNoise(figure);
    if (figure.within_noise) figure.shown_change += ", within the noise";
    comparison.figures.push_back(std::move(figure));
  }
  return comparison;
}

Json ComparisonJson(const Comparison& comparison) {
  Json figures = Json::array();
  for (const ComparedFigure& figure : comparison.figures) {
    Json json = {{"name", figure.name},        {"before", figure.before},
                 {"after", figure.after},      {"change", nullptr},
                 {"changeInPercent", nullptr}, {"withinNoise", figure.within_noise}};
    if (figure.before.is_number() && figure.after.is_number()) {
      const double from = figure.before.get<double>();
      const double change = figure.after.get<double>() - from;
      json["change"] = change;
      if (from != 0) json["changeInPercent"] = change / std::abs(from) * 100;
    }
    figures.push_back(std::move(json));
  }
  return {{"before", comparison.before},
          {"after", comparison.after},
          {"comparable", comparison.not_comparable.empty()},
          {"differences", comparison.not_comparable},
          {"reservations", comparison.reservations},
          {"figures", std::move(figures)}};
}

Table ComparisonTable(const Comparison& comparison) {
  Table table{{"FIGURE", comparison.before, comparison.after, "CHANGE"}, {}};
  for (const ComparedFigure& figure : comparison.figures) {
    table.rows.push_back(
        {figure.label, figure.shown_before, figure.shown_after, figure.shown_change});
  }
  return table;
}

std::string ComparisonDetails(const Comparison& comparison) {
  std::string out;
  if (!comparison.not_comparable.empty()) out = "NOT COMPARABLE as models:\n";
  for (const std::string& why : comparison.not_comparable) out += "  - " + Visible(why) + "\n";
  if (out.empty() && !comparison.reservations.empty()) {
    out = "Comparable with low confidence: a change of " + Figure(kNoiseTolerance * 100) +
          "% and less may be the host's\n";
  }
  for (const std::string& why : comparison.reservations) out += "  - " + Visible(why) + "\n";
  return (out.empty() ? out : out + "\n") + Aligned(ComparisonTable(comparison));
}

}  // namespace mlprof::client::cli
