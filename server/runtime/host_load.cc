#include "server/runtime/host_load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "common/os/read_text.h"
#include "common/time/monotonic_clock.h"

namespace mlprof::server {
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

std::optional<double> ParsePressureTotal(std::string_view text) {
  const std::string line(text.substr(0, text.find('\n')));
  const std::size_t at = line.find("total=");
  if (!line.starts_with("some") || at == std::string::npos) return std::nullopt;
  return std::strtod(line.c_str() + at + 6, nullptr) / 1e6;
}

std::optional<double> ParseMegahertz(std::string_view text) {
  double sum = 0;
  int cores = 0;
  for (std::size_t at = text.find("cpu MHz"); at != std::string_view::npos;
       at = text.find("cpu MHz", at + 1)) {
    const std::string line(text.substr(at, text.find('\n', at) - at));
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    sum += std::strtod(line.c_str() + colon + 1, nullptr);
    ++cores;
  }
  if (cores == 0) return std::nullopt;
  return sum / cores;
}

Result<HostLoad> ReadHostLoad() {
  std::ifstream file("/proc/stat");
  std::string line;
  if (!std::getline(file, line)) return Fail(Unavailable("/proc/stat cannot be read"));
  auto load = ParseProcStat(line, static_cast<double>(sysconf(_SC_CLK_TCK)));
  if (!load) return load;
  load->at = MonotonicClock::System().Now();
  load->own_seconds = OwnSeconds();
  load->waited_seconds = ParsePressureTotal(ReadText("/proc/pressure/cpu"));
  load->megahertz = ParseMegahertz(ReadText("/proc/cpuinfo"));
  return load;
}

double ForeignCores(const HostLoad& before, const HostLoad& after, double container_seconds) {
  const double elapsed = Elapsed(before, after);
  if (elapsed <= 0) return 0;
  const double busy = after.busy_seconds - before.busy_seconds;
  const double own = after.own_seconds - before.own_seconds;
  return std::max(0.0, busy - own - container_seconds) / elapsed;
}

std::optional<double> CpuPressure(const HostLoad& before, const HostLoad& after) {
  const double elapsed = Elapsed(before, after);
  if (!before.waited_seconds || !after.waited_seconds || elapsed <= 0) return std::nullopt;
  return 100 * (*after.waited_seconds - *before.waited_seconds) / elapsed;
}

double FrequencyDrop(const HostLoad& before, const HostLoad& after) {
  if (!before.megahertz || !after.megahertz || *before.megahertz <= 0) return 0;
  return std::max(0.0, 1 - *after.megahertz / *before.megahertz);
}

double StealShare(const HostLoad& before, const HostLoad& after, int cores) {
  const double elapsed = Elapsed(before, after);
  if (elapsed <= 0 || cores <= 0) return 0;
  return (after.steal_seconds - before.steal_seconds) / (elapsed * cores);
}

}  // namespace mlprof::server
