#include "server/runtime/process/cgroup/cgroup_files.h"

#include <charconv>
#include <cmath>

#include "common/text/split.h"

namespace mlprof::server::process {
namespace {

// As the Docker runtime has it: the period decides what a limit does to latency.
constexpr std::int64_t kPeriodMicroseconds = 100'000;
constexpr int kMostTasks = 4096;
// Beyond any machine; cgroup v1 shows the absence of a limit as about 2^63.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

std::string QuotaText(Cores cpu) {
  return std::to_string(std::llround(cpu.value() * static_cast<double>(kPeriodMicroseconds)));
}

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::vector<CgroupWrite> CpuWrites(int version, Cores cpu) {
  const std::string period = std::to_string(kPeriodMicroseconds);
  if (version == 2) return {{"cpu", "cpu.max", QuotaText(cpu) + " " + period}};
  return {{"cpu", "cpu.cfs_period_us", period}, {"cpu", "cpu.cfs_quota_us", QuotaText(cpu)}};
}

std::vector<CgroupWrite> MemoryWrites(int version, Bytes memory, bool machine_swaps) {
  const std::string limit = std::to_string(memory.count());
  if (version == 2) {
    return {{"memory", "memory.max", limit}, {"memory", "memory.swap.max", "0", machine_swaps}};
  }
  // Memory and swap together, which may not be less than memory alone: so it comes second. A kernel
  // that does not account swap is told to use none.
  return {{"memory", "memory.limit_in_bytes", limit},
          {"memory", "memory.memsw.limit_in_bytes", limit, false},
          {"memory", "memory.swappiness", "0", false}};
}

bool HasSwap(std::string_view swaps) {
  while (swaps.ends_with('\n')) swaps.remove_suffix(1);
  return swaps.find('\n') != std::string_view::npos;
}

std::vector<CgroupWrite> TaskWrites() {
  return {{"pids", "pids.max", std::to_string(kMostTasks), false}};
}

std::string OomFile(int version) { return version == 2 ? "memory.events" : "memory.oom_control"; }

std::int64_t OomKillsIn(std::string_view text) {
  constexpr std::string_view kName = "oom_kill ";
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with(kName)) return WholeNumber(line.substr(kName.size())).value_or(0);
  }
  return 0;
}

std::optional<Bytes> MemoryLimitIn(std::string_view text) {
  const auto limit = WholeNumber(text);
  if (!limit || *limit >= kNoLimit) return std::nullopt;
  return Bytes(*limit);
}

std::optional<Cores> CpuLimitIn(std::string_view quota, std::string_view period) {
  if (const std::size_t space = quota.find(' '); space != std::string_view::npos) {
    return CpuLimitIn(quota.substr(0, space), quota.substr(space + 1));
  }
  const auto used = WholeNumber(quota);
  const auto of = WholeNumber(period);
  if (!used || !of || *used <= 0 || *of <= 0) return std::nullopt;
  return Cores(static_cast<double>(*used) / static_cast<double>(*of));
}

}  // namespace mlprof::server::process
