#include "client/cli/watch/live_figures.h"

#include <algorithm>

#include "client/cli/output/text.h"
#include "client/src/json_fields.h"

namespace mlprof::client::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<Clock::time_point> EndAfter(std::optional<double> seconds, Clock::time_point now) {
  if (!seconds) return std::nullopt;
  return now + std::chrono::duration_cast<Clock::duration>(
                   std::chrono::duration<double>(std::clamp(*seconds, 0.0, 1e6)));
}

void TakeNumber(const Json& data, const std::string& key, std::optional<double>& into) {
  if (const auto number = NumberField(data, key)) into = number;
}

}  // namespace

bool LiveFigures::Take(const ProfileUpdate& update, Clock::time_point now) {
  if (const auto* profile = std::get_if<Profile>(&update)) {
    const bool is_new = phase != profile->progress.phase;
    state = Name(profile->state);
    phase = profile->progress.phase;
    message = profile->progress.message;
    fraction = profile->progress.fraction;
    expected_end = EndAfter(profile->progress.seconds_left, now);
    return is_new;
  }
  const auto& event = std::get<ProfileEvent>(update);
  const auto data = ParseJson(event.data, {event.data.size() + 1, 64, 1'000'000});
  if (!data) return false;
  if (event.type == "phase") {
    const std::string next = TextField(*data, "phase");
    const bool is_new = phase != next;
    phase = next;
    state = TextField(*data, "state");
    message = TextField(*data, "message");
    return is_new;
  }
  if (event.type == "progress") {
    // Where a profile waits, what for is all there is to tell.
    const bool waits = TextField(*data, "phase") == "queued";
    const bool is_news = waits && message != TextField(*data, "message");
    if (waits) phase = "queued";
    fraction = std::clamp(NumberField(*data, "fraction").value_or(fraction), 0.0, 1.0);
    message = TextField(*data, "message");
    expected_end = EndAfter(NumberField(*data, "secondsLeft"), now);
    return is_news;
  }
  if (event.type == "sample") {
    TakeNumber(*data, "requests", requests);
    TakeNumber(*data, "latencyPercentile95InMs", p95_ms);
    TakeNumber(*data, "cpuCores", cpu_cores);
    TakeNumber(*data, "memoryInBytes", memory_bytes);
  }
  return false;
}

std::string LiveFigures::Live() const {
  std::string out;
  const auto add = [&out](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (requests) add(Figure(*requests, 9) + " requests");
  if (p95_ms) add("p95 " + Milliseconds(*p95_ms));
  if (cpu_cores) add(Figure(*cpu_cores, 2) + " cores");
  if (memory_bytes) add(Text(Bytes(static_cast<std::int64_t>(*memory_bytes))));
  return out;
}

std::string LogText(const ProfileUpdate& update) {
  const auto* event = std::get_if<ProfileEvent>(&update);
  if (event == nullptr || event->type != "log") return "";
  const auto data = ParseJson(event->data, {event->data.size() + 1, 64, 1'000'000});
  return data ? TextField(*data, "text") : "";
}

}  // namespace mlprof::client::cli
