#include "server/profiling/phases/captured_trace.h"

#include "server/devices/xspace/bottleneck.h"
#include "server/devices/xspace/cost_advice.h"
#include "server/devices/xspace/mapped_file.h"
#include "server/devices/xspace/read_trace.h"
#include "server/devices/xspace/row_ops.h"
#include "server/devices/xspace/steps.h"

namespace mlprof::server::phases {
namespace {

constexpr std::size_t kMostEvents = 4'000'000;                     // 128 MiB while they are read
constexpr xspace::HloLimits kProgramsRead{.parts_left = 200'000};  // 128 MiB, too
constexpr std::size_t kRowsTold = 3;

// From a row's sending to its response's last byte, with its way to the model and back: what the
// model did for it lies within that even where the moment of the response could not be read off at
// the agent, and nothing of another row does where they come one at a time.
std::vector<xspace::RowTime> TimesOfRows(const ReplayResult& replay,
                                         std::chrono::nanoseconds unix_ahead) {
  std::vector<xspace::RowTime> times;
  for (const RequestRecord& request : replay.requests) {
    const auto due = request.due + unix_ahead;
    times.push_back({request.row, due + std::chrono::microseconds(request.lag_us),
                     due + std::chrono::microseconds(request.latency_us), request.Succeeded()});
  }
  return times;
}

CapturedRow ToldOf(const xspace::RowOps& row) {
  CapturedRow told;
  told.row = row.row;
  told.visits = static_cast<std::int64_t>(row.visits);
  told.latency_ms = row.latency_ms;
  told.others_in_flight = row.others_in_flight;
  if (!row.top.empty()) {
    told.op = row.top.front().name;
    told.op_percent = 100 * row.top.front().share;
  }
  return told;
}

std::optional<CapturedCosts> CostsOf(const xspace::Trace& trace, const xspace::TimeLimit& limit) {
  if (xspace::HardwareOf(trace) == xspace::Hardware::kCpu) return std::nullopt;
  const auto bottleneck = xspace::JudgeSteps(xspace::CollectSteps(trace, limit));
  const auto costs = xspace::FindDeviceCosts(trace, xspace::CollectOps(trace, limit), bottleneck,
                                             limit, kProgramsRead);
  if (!limit.Kept()) return std::nullopt;
  return CapturedCosts{std::string(xspace::Name(costs.costs_most)), costs.duty_cycle_percent,
                       costs.input_percent, xspace::AdviceOn(costs)};
}

void AddRows(const xspace::Trace& trace, const std::vector<xspace::RowTime>& times,
             const xspace::TimeLimit& limit, CapturedTrace& captured) {
  captured.rows = xspace::VisitsDuring(trace, times);
  if (!captured.rows) {
    captured.no_rows = "it does not tell when it began";
  } else if (captured.rows->visits.empty()) {
    captured.no_rows =
        "no row began after the first event that was recorded and ended before the last";
  }
  if (!captured.no_rows.empty()) return;
  for (const xspace::RowOps& row :
       xspace::SlowestRows(trace, *captured.rows, captured.rows->visits, kRowsTold, limit)) {
    captured.slowest.push_back(ToldOf(row));
  }
  if (!limit.Kept()) captured.slowest.clear();  // what is there by then is not all
}

CapturedTrace ToldBy(const xspace::Trace& trace, const std::vector<xspace::RowTime>& times,
                     const xspace::TimeLimit& limit) {
  CapturedTrace captured;
  captured.events = static_cast<std::int64_t>(trace.EventCount());
  AddRows(trace, times, limit, captured);
  captured.costs = CostsOf(trace, limit);
  return captured;
}

Error NothingInIt() {
  return Conflict(
      "its trace is empty or damaged: did anything run in the process that has the "
      "profiler server while rows were scored?");
}

}  // namespace

Result<CapturedTrace> ReadCapturedTrace(const SpooledBody& trace, const ReplayResult& replay,
                                        std::chrono::nanoseconds unix_ahead,
                                        const xspace::TimeLimit& time) {
  MLPROF_LET(file, MappedFile::Open(*trace.file));
  // The model wrote it: a hostile one must not take the server's memory.
  auto captured = Caught([&]() -> Result<CapturedTrace> {
    MLPROF_LET(read, xspace::ReadTrace(file.bytes(), {.events = kMostEvents}));
    return ToldBy(read, TimesOfRows(replay, unix_ahead), time);
  });
  if (captured && captured->events > 0) return captured;
  if (!captured && captured.error().code() != ErrorCode::kInvalidArgument) return captured;
  return Fail(NothingInIt());
}

}  // namespace mlprof::server::phases
