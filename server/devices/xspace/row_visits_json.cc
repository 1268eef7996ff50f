// The visits of rows as the file that is kept beside a trace.
#include <cmath>

#include "common/json/json.h"
#include "common/units/bytes.h"
#include "server/devices/xspace/row_visits.h"

namespace mlprof::server::xspace {
namespace {

constexpr double kPsOfVisitMs = 1e9;
constexpr double kLongestVisitMs = static_cast<double>(kLongestTracePs) / kPsOfVisitMs;
// Of kMostVisits and as many others, each with some 60 bytes.
constexpr JsonLimits kVisitsLimits{.max_bytes = static_cast<std::size_t>(MiB(32).count()),
                                   .max_nodes = 10 * kMostVisits};

Json EncodeSpan(const Span& span) {
  return {{"fromMs", static_cast<double>(span.start_ps) / kPsOfVisitMs},
          {"toMs", static_cast<double>(span.end_ps()) / kPsOfVisitMs}};
}

double NumberAt(const Json& item, const char* name) {
  const auto field = item.is_object() ? item.find(name) : item.end();
  const bool there = item.is_object() && field != item.end() && field->is_number();
  return there ? field->get<double>() : -1.0;
}

std::optional<Span> DecodeSpan(const Json& item) {
  const double from = NumberAt(item, "fromMs");
  const double to = NumberAt(item, "toMs");
  if (from < 0 || to < from || to > kLongestVisitMs) return std::nullopt;
  return Span{std::llround(from * kPsOfVisitMs), std::llround((to - from) * kPsOfVisitMs)};
}

Error Unreadable() { return Internal("the rows of the trace cannot be read"); }

// Calls `take(item, span)`, which says whether it is one.
template <class Take>
Status ForEachSpan(const Json& json, const char* name, Take take) {
  const auto list = json.is_object() ? json.find(name) : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array()) return Fail(Unreadable());
  if (list->size() > kMostVisits) return Fail(Unreadable());
  for (const Json& item : *list) {
    const auto span = DecodeSpan(item);
    if (!span || !take(item, *span)) return Fail(Unreadable());
  }
  return {};
}

}  // namespace

std::string WriteRowVisits(const RowVisits& visits) {
  Json list = Json::array();
  for (const RowVisit& visit : visits.visits) {
    Json item = EncodeSpan(visit.span);
    item["row"] = visit.row;
    list.push_back(std::move(item));
  }
  Json others = Json::array();
  for (const Span& span : visits.others) others.push_back(EncodeSpan(span));
  Json out = {{"visits", std::move(list)}, {"others", std::move(others)}};
  if (visits.left_out > 0) out["visitsLeftOut"] = visits.left_out;
  return DumpJson(out);
}

Result<RowVisits> ReadRowVisits(std::string_view text) {
  MLPROF_LET(json, ParseJson(text, kVisitsLimits));
  RowVisits out;
  MLPROF_TRY(ForEachSpan(json, "visits", [&](const Json& item, const Span& span) {
    const double row = NumberAt(item, "row");
    if (row < 0 || row > std::numeric_limits<std::uint32_t>::max()) return false;
    out.visits.push_back({static_cast<std::uint32_t>(row), span});
    return true;
  }));
  MLPROF_TRY(ForEachSpan(json, "others", [&](const Json&, const Span& span) {
    out.others.push_back(span);
    return true;
  }));
  const auto left_out = json.find("visitsLeftOut");
  if (left_out != json.end() && left_out->is_number_unsigned()) {
    out.left_out = left_out->get<std::size_t>();
  }
  return out;
}

}  // namespace mlprof::server::xspace
