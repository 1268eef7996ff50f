#include "server/runtime/process/host_facts.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "common/os/read_text.h"

namespace mlprof::server::process {
namespace {

std::string CpuModelOfThisMachine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("model name") && !line.starts_with("Model\t")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

}  // namespace

int ThisMachinesCores() {
  return static_cast<int>(std::max<long>(1, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

Bytes TotalMemoryIn(std::string_view meminfo) {
  constexpr std::string_view kName = "MemTotal:";
  const std::size_t at = meminfo.find(kName);
  if (at == std::string_view::npos) return {};
  const std::size_t digits = meminfo.find_first_of("0123456789", at);
  std::int64_t kib = 0;
  if (digits != std::string_view::npos) {
    std::from_chars(meminfo.data() + digits, meminfo.data() + meminfo.size(), kib);
  }
  return KiB(kib);
}

HostFacts HostOf(ProcessContext& context) {
  HostFacts facts;
  facts.cpu_model = CpuModelOfThisMachine();
  facts.cores = ThisMachinesCores();
  facts.memory = TotalMemoryIn(ReadText("/proc/meminfo"));
  facts.cgroup_version = context.cgroups.version();
  facts.limits_hold = context.Permitted().limits.Hold();
  if (const auto limit = context.cgroups.OwnMemoryLimit()) {
    facts.memory = std::min(facts.memory, *limit);
  }
  if (const auto limit = context.cgroups.OwnCpuLimit()) {
    facts.cores = std::clamp(static_cast<int>(std::floor(limit->value())), 1, facts.cores);
  }
  return facts;
}

}  // namespace mlprof::server::process
