// A made trace with the rows that were replayed while it was taken.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/devices/xspace/read_trace.h"
#include "server/devices/xspace/row_visits.h"
#include "server/devices/xspace/tools.h"
#include "tests/server/devices/xspace/made_trace.h"

namespace mlprof::server::xspace {

inline constexpr std::int64_t kPsOfUs = 1'000'000;
inline constexpr std::uint64_t kStartNs = 1'800'000'000'000'000'000;

// On one thread: dot.1 from 10 to 40 us, add.2 from 50 to 60, dot.1 from 110 to 190; around all of
// it an event that is no operation.
inline std::string HostTrace(bool with_start = true) {
  MadePlane host("/host:CPU");
  const auto hlo_op = host.StatName("hlo_op");
  const auto dot = host.Name("dot.1");
  const auto add = host.Name("add.2");
  const auto loop = host.Name("loop");
  const auto op = [&](std::uint64_t name, std::uint64_t at, std::uint64_t for_us,
                      const std::string& what) {
    return MadeEvent(name, at, for_us, {TextStat(hlo_op, what)});
  };
  host.Line(MadeLine("thread", {MadeEvent(loop, 0, 300), op(dot, 10, 30, "dot.1"),
                                op(add, 50, 10, "add.2"), op(dot, 110, 80, "dot.1")}));
  MadePlane environment("Task Environment");
  const auto start = environment.StatName("profile_start_time");
  if (with_start) environment.Stat(NumberStat(start, kStartNs));
  return Message().Sub(1, host.message()).Sub(1, environment.message()).bytes();
}

inline RowTime At(std::uint32_t row, int from_us, int to_us) {
  const std::chrono::nanoseconds start(kStartNs);
  return {row, start + std::chrono::microseconds(from_us),
          start + std::chrono::microseconds(to_us)};
}

inline Span SpanOfUs(std::int64_t from, std::int64_t to) {
  return {from * kPsOfUs, (to - from) * kPsOfUs};
}

struct Recorded {
  explicit Recorded(std::string encoded,
                    const std::vector<RowTime>& times = {At(4, 5, 65), At(9, 100, 200)})
      : bytes(std::move(encoded)), trace(*ReadTrace(bytes)) {
    if (auto found = VisitsDuring(trace, times)) visits = *found;
    options.rows = &visits;
  }
  Result<Json> Run(const std::string& tool) const { return RunTool(trace, tool, options); }

  std::string bytes;
  Trace trace;
  RowVisits visits;
  ToolOptions options;
};

}  // namespace mlprof::server::xspace
