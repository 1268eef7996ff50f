#include "server/analysis/arrival_trace.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "common/time/timestamp.h"

namespace mlprof::server {
namespace {

// Between a billion requests a second and one in thirty years nothing is lost, and no gap is too
// small or too large to be counted with.
constexpr double kLeastMeanGap = 1e-9;
constexpr double kMostMeanGap = 1e9;

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

std::optional<double> SecondsOf(std::string_view row) {
  const std::string_view text = Trimmed(row);
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(seconds)) {
    return seconds;
  }
  const auto when = ParseTimestamp(text);
  if (!when) return std::nullopt;
  return std::chrono::duration<double>(when->time_since_epoch()).count();
}

Error BadRow(std::size_t row, const std::string& what) {
  return InvalidArgument("row " + std::to_string(row) + " " + what);
}

}  // namespace

Result<ArrivalTimes> ReadArrivalTimes(const Rows& rows) {
  if (rows.size() < 2) return Fail(InvalidArgument("it has fewer than two times"));
  if (rows.size() > kMostArrivals) {
    return Fail(InvalidArgument("it has more than " + std::to_string(kMostArrivals) + " times"));
  }
  ArrivalTimes times;
  times.seconds.reserve(rows.size());
  std::optional<double> first;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto seconds = SecondsOf(rows[row]);
    if (!seconds) {
      return Fail(BadRow(row,
                         "is no time: seconds or RFC 3339 in UTC, such as 12.5 or "
                         "2026-11-20T19:10:00.123Z"));
    }
    if (!first) first = seconds;
    const double since = *seconds - *first;
    if (!times.seconds.empty() && since < times.seconds.back()) {
      return Fail(BadRow(row, "is earlier than the row above it"));
    }
    times.seconds.push_back(since);
  }
  if (times.seconds.back() <= 0) return Fail(InvalidArgument("no time passes in it"));
  // A span beyond all numbers is no gap that can be told apart from it.
  if (!(times.MeanGap() >= kLeastMeanGap && times.MeanGap() <= kMostMeanGap)) {
    return Fail(InvalidArgument("its times are too close together or too far apart"));
  }
  return times;
}

double RateOf(const ArrivalTimes& times) { return 1 / times.MeanGap(); }

std::size_t BusiestStart(const ArrivalTimes& times, double seconds) {
  std::size_t start = 0;
  std::size_t most = 0;
  std::size_t end = 0;
  for (std::size_t first = 0; first < times.seconds.size(); ++first) {
    while (end < times.seconds.size() && times.seconds[end] - times.seconds[first] < seconds) ++end;
    if (end - first <= most) continue;
    most = end - first;
    start = first;
  }
  return start;
}

}  // namespace mlprof::server
