#include "server/devices/xspace/row_visits.h"

#include <algorithm>
#include <cmath>

namespace mlprof::server::xspace {
namespace {

constexpr std::int64_t kPsOfNs = 1000;
constexpr double kPsOfMs = 1e9;
constexpr double kLongestVisitMs = 36e6;  // ten hours, as of any trace

bool BeginsBefore(const RowVisit& a, const RowVisit& b) {
  return a.span.start_ps != b.span.start_ps ? a.span.start_ps < b.span.start_ps : a.row < b.row;
}

}  // namespace

std::optional<RowVisits> VisitsDuring(const Trace& trace, const std::vector<RowTime>& rows) {
  if (!trace.start_unix_ns) return std::nullopt;
  const std::chrono::nanoseconds began(*trace.start_unix_ns);
  const std::chrono::nanoseconds last(trace.LastPs() / kPsOfNs);
  RowVisits out;
  for (const RowTime& row : rows) {
    if (row.from < began || row.to > began + last || row.to < row.from) continue;
    out.visits.push_back(
        {row.row, {(row.from - began).count() * kPsOfNs, (row.to - row.from).count() * kPsOfNs}});
  }
  std::sort(out.visits.begin(), out.visits.end(), BeginsBefore);
  if (out.visits.size() > kMostVisits) {
    out.left_out = out.visits.size() - kMostVisits;
    out.visits.resize(kMostVisits);
  }
  return out;
}

std::vector<RowVisit> VisitsOf(std::uint32_t row, const RowVisits& all) {
  std::vector<RowVisit> out;
  std::copy_if(all.visits.begin(), all.visits.end(), std::back_inserter(out),
               [row](const RowVisit& visit) { return visit.row == row; });
  return out;
}

std::vector<RowVisit> SlowestVisits(double percent, const RowVisits& all) {
  std::vector<RowVisit> out = all.visits;
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  const auto count = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(share * static_cast<double>(out.size()))));
  if (count >= out.size()) return out;
  const auto behind = out.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(out.begin(), behind, out.end(), [](const RowVisit& a, const RowVisit& b) {
    return a.span.duration_ps != b.span.duration_ps ? a.span.duration_ps > b.span.duration_ps
                                                    : BeginsBefore(a, b);
  });
  out.erase(behind, out.end());
  std::sort(out.begin(), out.end(), BeginsBefore);
  return out;
}

std::vector<Span> SpansOf(std::span<const RowVisit> visits) {
  std::vector<Span> out;
  for (const RowVisit& visit : visits) out.push_back(visit.span);
  return out;
}

Json EncodeRowVisits(const RowVisits& visits) {
  Json list = Json::array();
  for (const RowVisit& visit : visits.visits) {
    list.push_back({{"row", visit.row},
                    {"fromMs", static_cast<double>(visit.span.start_ps) / kPsOfMs},
                    {"toMs", static_cast<double>(visit.span.end_ps()) / kPsOfMs}});
  }
  Json out = {{"visits", std::move(list)}};
  if (visits.left_out > 0) out["visitsLeftOut"] = visits.left_out;
  return out;
}

Result<RowVisits> DecodeRowVisits(const Json& json) {
  const auto damaged = [] { return Fail(Internal("the rows of the trace cannot be read")); };
  const auto list = json.is_object() ? json.find("visits") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array()) return damaged();
  RowVisits out;
  for (const Json& item : *list) {
    const auto number = [&](const char* name) {
      const auto field = item.is_object() ? item.find(name) : item.end();
      return item.is_object() && field != item.end() && field->is_number() ? field->get<double>()
                                                                           : -1.0;
    };
    const double row = number("row");
    const double from = number("fromMs");
    const double to = number("toMs");
    const bool sane = row >= 0 && row <= 4294967295.0 && from >= 0 && to >= from &&
                      to <= kLongestVisitMs && out.visits.size() < kMostVisits;
    if (!sane) return damaged();
    out.visits.push_back({static_cast<std::uint32_t>(row),
                          {std::llround(from * kPsOfMs), std::llround((to - from) * kPsOfMs)}});
  }
  const auto left_out = json.find("visitsLeftOut");
  if (left_out != json.end() && left_out->is_number_unsigned())
    out.left_out = left_out->get<std::size_t>();
  return out;
}

}  // namespace mlprof::server::xspace
