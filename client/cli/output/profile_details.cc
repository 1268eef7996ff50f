#include "client/cli/output/profile_details.h"

#include "client/cli/output/answer_details.h"
#include "client/cli/output/capture_details.h"
#include "client/cli/output/curve_details.h"
#include "client/cli/output/findings_details.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

std::string Models(const Profile& profile) {
  std::string out;
  for (const std::string& id : profile.request.model_ids) out += (out.empty() ? "" : ", ") + id;
  return out;
}

void WriteAnswer(const Profile& profile, Details& details) {
  const Recommendation& answer = *profile.recommendation;
  const bool done = IsFinished(profile.state);
  details.Heading((done ? "Recommendation for " : "Provisional recommendation for ") +
                  Models(profile) + "  (profile " + profile.request.name + ")");
  WriteNumbers(answer, details);
  details.Line("verified", answer.verified
                               ? "yes: fresh containers at exactly these limits passed"
                               : "NO: not proven in fresh containers at exactly these limits");
  details.Line("tight", Tight(answer));
  details.Line("confidence", Text(answer.confidence));
  WriteBounds(answer, details);
  details.Line("holds for", Text(profile.request.objective));
  details.Line("starts in", StartText(answer, profile.request.ceiling.cpu));
  WriteTerms(answer, details);
}

void WriteNoAnswerOf(const Profile& profile, Details& details) {
  details.Heading("No answer for " + Models(profile) + "  (profile " + profile.request.name + ")");
  WriteNoAnswer(*profile.no_answer, details);
  details.Line("asked for", Text(profile.request.objective));
}

std::string Latencies(const Measurements& m) {
  std::string out;
  const auto add = [&out](const char* label, const std::optional<double>& ms) {
    if (ms) out += (out.empty() ? "" : ", ") + std::string(label) + " " + Milliseconds(*ms);
  };
  add("mean", m.average_latency_ms);
  add("p50", m.latency_p50_ms);
  add("p90", m.latency_p90_ms);
  add("p95", m.latency_p95_ms);
  add("p99", m.latency_p99_ms);
  return out;
}

std::string CpuUse(const Measurements& m) {
  std::string out;
  const auto add = [&out](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (m.max_utilized_cpu) {
    const char* unit = Figure(*m.max_utilized_cpu) == "1" ? " core" : " cores";
    add("at most " + Figure(*m.max_utilized_cpu) + unit + " over a second");
  }
  if (m.cpu_seconds_per_query) add(Milliseconds(*m.cpu_seconds_per_query * 1000) + " a request");
  if (m.throttled_share) add("throttled in " + Figure(*m.throttled_share * 100) + "% of periods");
  return out;
}

std::string MemoryUse(const Measurements& m) {
  std::string out;
  const auto add = [&out](const char* label, const std::optional<Bytes>& bytes) {
    if (bytes) out += (out.empty() ? "" : ", ") + std::string(label) + " " + Text(*bytes);
  };
  add("at most", m.max_utilized_memory);
  add("serving", m.serving_peak_memory);
  add("starting", m.start_peak_memory);
  add("file cache", m.cache_memory);
  return out;
}

void WriteMeasurements(const Measurements& m, Details& details) {
  details.Heading("Measured at " + Text(m.measured_at.cpu()) + ", " + Text(m.measured_at.memory()));
  std::string requests =
      std::to_string(m.total_queries) + " (" + std::to_string(m.success_queries) + " succeeded)";
  if (m.queries_per_second) requests += ", " + Figure(*m.queries_per_second) + "/s";
  details.Line("requests", requests);
  details.Line("rows replayed", std::to_string(m.rows_replayed));
  details.Line("latency", Latencies(m));
  details.Line("CPU", CpuUse(m));
  details.Line("memory", MemoryUse(m));
  if (!m.start_seconds) return;
  std::string start = Duration(*m.start_seconds) + " until ready";
  if (m.start_cpu_seconds) start += ", " + Figure(*m.start_cpu_seconds) + " CPU seconds";
  details.Line("start", start);
}

void WriteFailure(const Profile& profile, Details& details) {
  details.Heading("Profile " + profile.request.name + ": " + std::string(Name(profile.state)) +
                  (profile.error ? ", " + profile.error->code : ""));
  details.Line("models", Models(profile));
  if (!profile.error) return;
  details.Plain("");
  details.Block(profile.error->message, 2);
  for (const std::string& advice : profile.error->advice) details.Block("- " + advice, 2);
  if (profile.error->evidence.empty()) return;
  details.Heading("Evidence");
  details.Block(profile.error->evidence, 2);
}

void WriteProgress(const Profile& profile, Details& details) {
  details.Heading("Profile " + profile.request.name + ": " + std::string(Name(profile.state)));
  details.Line("models", Models(profile));
  details.Line("phase", profile.progress.phase);
  details.Line("done", Figure(profile.progress.fraction * 100, 2) + "%");
  details.Line("now", profile.progress.message);
  if (profile.progress.seconds_left) {
    details.Line("time left", Duration(*profile.progress.seconds_left));
  }
}

void WriteWarnings(const Profile& profile, Details& details) {
  if (profile.warnings.empty()) return;
  details.Heading("Warnings");
  for (const Warning& warning : profile.warnings) {
    details.Block(warning.code + ": " + warning.message, 2);
    details.Block(warning.advice, 6);
  }
}

void WriteNextSteps(const Profile& profile, Details& details) {
  const std::string& name = profile.request.name;
  std::vector<std::pair<std::string, std::string>> steps;
  if (!IsFinished(profile.state)) {
    steps.emplace_back("profile cancel " + name, "stop it");
  } else if (profile.recommendation || profile.no_answer) {
    steps.emplace_back("profile show " + name + " -o json", "every figure");
    steps.emplace_back("profile export " + name + " -t DIR --format csv",
                       "trials, rows and samples");
  }
  if (IsFinished(profile.state) && profile.recommendation) {
    steps.emplace_back("what-if " + name + " --rps R", "the answer for another load");
  }
  if (!profile.captures.empty()) {
    steps.emplace_back("profile artifacts " + name + " -t DIR", "the device traces as files");
  }
  steps.emplace_back("profile logs " + name, "what the installation and the model wrote");
  std::size_t width = 0;
  for (const auto& [command, what] : steps) width = std::max(width, Width(command));
  details.Heading("Look next");
  for (const auto& [command, what] : steps) {
    const std::string padding(width - Width(command) + 3, ' ');
    details.Block("mlprof " + command + padding + what, 2);
  }
}

// The answer's, else what was found: not every answer has one.
std::vector<CpuPoint> CurveOf(const Profile& profile) {
  if (profile.recommendation && !profile.recommendation->curve.empty()) {
    return profile.recommendation->curve;
  }
  return profile.findings.cpu ? profile.findings.cpu->points : std::vector<CpuPoint>();
}

}  // namespace

std::string ProfileDetails(const Profile& profile) {
  Details details;
  const bool finished = IsFinished(profile.state);
  if (!finished) WriteProgress(profile, details);
  if (finished && profile.state != ProfileState::kSucceeded) WriteFailure(profile, details);
  if (profile.recommendation) WriteAnswer(profile, details);
  if (profile.no_answer) WriteNoAnswerOf(profile, details);
  WriteFindings(profile.findings, details);
  if (profile.measurements) WriteMeasurements(*profile.measurements, details);
  WriteCurve(CurveOf(profile), details);
  WriteCaptures(profile.captures, details);
  WriteWarnings(profile, details);
  WriteNextSteps(profile, details);
  return details.Take();
}

}  // namespace mlprof::client::cli
