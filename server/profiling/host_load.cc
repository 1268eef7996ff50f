#include "server/profiling/host_load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "common/time/monotonic_clock.h"

namespace mlprof {
namespace {

double OwnSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double Elapsed(const HostLoad& before, const HostLoad& after) {
  return std::chrono::duration<double>(after.at - before.at).count();
}

}  // namespace

Result<HostLoad> ParseProcStat(std::string_view text, double ticks_per_second) {
  std::array<unsigned long long, 8> t{};
  const std::string line(text.substr(0, text.find('\n')));
  const int fields = std::sscanf(line.c_str(), "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0],
                                 &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);
  if (fields != 8) return Fail(Internal("/proc/stat does not begin with the cpu line"));
  HostLoad load;
  load.busy_seconds = static_cast<double>(t[0] + t[1] + t[2] + t[5] + t[6]) / ticks_per_second;
  load.steal_seconds = static_cast<double>(t[7]) / ticks_per_second;
  return load;
}

Result<HostLoad> ReadHostLoad() {
  std::ifstream file("/proc/stat");
  std::string line;
  if (!std::getline(file, line)) return Fail(Unavailable("/proc/stat cannot be read"));
  auto load = ParseProcStat(line, static_cast<double>(sysconf(_SC_CLK_TCK)));
  if (!load) return load;
  load->at = MonotonicClock::System().Now();
  load->own_seconds = OwnSeconds();
  return load;
}

double ForeignCores(const HostLoad& before, const HostLoad& after, double container_seconds) {
  const double elapsed = Elapsed(before, after);
  if (elapsed <= 0) return 0;
  const double busy = after.busy_seconds - before.busy_seconds;
  const double own = after.own_seconds - before.own_seconds;
  return std::max(0.0, busy - own - container_seconds) / elapsed;
}

double StealShare(const HostLoad& before, const HostLoad& after, int cores) {
  const double elapsed = Elapsed(before, after);
  if (elapsed <= 0 || cores <= 0) return 0;
  return (after.steal_seconds - before.steal_seconds) / (elapsed * cores);
}

}  // namespace mlprof
