// Which row of a replay was under way when, on the clock of the trace that was taken meanwhile:
// what lets a trace be asked about a row. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"
#include "server/devices/xspace/nesting.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

/// A row that was under way, by the clock of the model's machine.
struct RowTime {
  std::uint32_t row = 0;
  std::chrono::nanoseconds from{0};  // since 1970
  std::chrono::nanoseconds to{0};
  bool succeeded = true;
};

/// The same since the trace began.
struct RowVisit {
  std::uint32_t row = 0;
  Span span;
};

struct RowVisits {
  std::vector<RowVisit> visits;  // answered, and recorded from beginning to end; by start
  std::vector<Span> others;      // of rows that failed, or that an edge of the recording cut
  std::size_t left_out = 0;      // visits beyond kMostVisits
};
inline constexpr std::size_t kMostVisits = 100'000;  // and as many others

/// Recorded is what lies between the first event and the last, those of the host's and those of the
/// devices' each: a profiler tells when it was started, and begins to listen later. nullopt where
/// the trace does not tell when it was started.
std::optional<RowVisits> VisitsDuring(const Trace& trace, const std::vector<RowTime>& rows);

std::vector<RowVisit> VisitsOf(std::uint32_t row, const RowVisits& all);
/// The slowest `percent` of all visits, one at least where there is one; by start.
std::vector<RowVisit> SlowestVisits(double percent, const RowVisits& all);
std::vector<Span> SpansOf(std::span<const RowVisit> visits);

/// `{"visits": [{"row": 17, "fromMs": 3.25, "toMs": 9.5}], "others": [{"fromMs": …, "toMs": …}],
/// "visitsLeftOut": 3}`, the last only where it is not 0.
std::string WriteRowVisits(const RowVisits& visits);
Result<RowVisits> ReadRowVisits(std::string_view text);

}  // namespace mlprof::server::xspace
