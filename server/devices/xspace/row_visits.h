// Which row of a replay was under way when, on the clock of the trace that was taken meanwhile:
// what lets a trace be asked about a row. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/json/json.h"
#include "common/result/result.h"
#include "server/devices/xspace/nesting.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

/// A row that the model had, by the clock of its machine.
struct RowTime {
  std::uint32_t row = 0;
  std::chrono::nanoseconds from{0};  // since 1970
  std::chrono::nanoseconds to{0};
};

/// The same since the trace began.
struct RowVisit {
  std::uint32_t row = 0;
  Span span;
};

struct RowVisits {
  std::vector<RowVisit> visits;  // by start
  std::size_t left_out = 0;      // beyond kMostVisits
};
inline constexpr std::size_t kMostVisits = 100'000;

/// Those that began and ended while it was recorded; nullopt where the trace does not tell when it
/// began.
std::optional<RowVisits> VisitsDuring(const Trace& trace, const std::vector<RowTime>& rows);

std::vector<RowVisit> VisitsOf(std::uint32_t row, const RowVisits& all);
/// The slowest `percent` of all visits, one at least where there is one; by start.
std::vector<RowVisit> SlowestVisits(double percent, const RowVisits& all);
std::vector<Span> SpansOf(std::span<const RowVisit> visits);

/// `{"visits": [{"row": 17, "fromMs": 3.25, "toMs": 9.5}], "visitsLeftOut": 3}`, the latter only
/// where it is not 0.
Json EncodeRowVisits(const RowVisits& visits);
Result<RowVisits> DecodeRowVisits(const Json& json);

}  // namespace mlprof::server::xspace
