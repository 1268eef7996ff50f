#include "agent/sampling/census.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "agent/sampling/proc.h"

namespace mlprof::agent {
namespace {

// A file's name begins with the first, the pool is told by the second. Wheels carry their own
// copies: libgomp-a34b3233.so.1.0.0, libscipy_openblas64_-6bb31eeb.so.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kRuntimes = {{
    {"libgomp", "libgomp"},
    {"libiomp5", "libiomp5"},
    {"libomp", "libomp"},
    {"libmkl_", "libmkl"},
    {"libopenblas", "libopenblas"},
    {"libscipy_openblas", "libopenblas"},
    {"libblis", "libblis"},
    {"libtensorflow", "libtensorflow"},
    {"_pywrap_tensorflow", "libtensorflow"},
    {"libtorch", "libtorch"},
    {"libonnxruntime", "libonnxruntime"},
    {"onnxruntime_pybind11", "libonnxruntime"},
    {"libtbb", "libtbb"},
}};

void AddIfPool(std::string_view file, std::set<std::string>& pools) {
  for (const auto& [prefix, pool] : kRuntimes) {
    if (!file.starts_with(prefix)) continue;
    // "libomp" is not the beginning of libompstub.
    const std::string_view rest = file.substr(prefix.size());
    if (prefix == "libomp" && !rest.starts_with('.') && !rest.starts_with('-')) continue;
    pools.emplace(pool);
  }
}

}  // namespace

void AddThreadPools(std::string_view maps, std::set<std::string>& pools) {
  std::string_view last_path;
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(maps.size(), line.size() + 1));
    const std::size_t slash = line.find('/');
    if (slash == std::string_view::npos || line.substr(slash) == last_path) continue;
    last_path = line.substr(slash);
    const std::string_view file = last_path.substr(last_path.rfind('/') + 1);
    if (file.find(".so") != std::string_view::npos) AddIfPool(file, pools);
  }
}

Census TakeCensus(const std::set<pid_t>& pids) {
  Census census;
  std::set<std::string> pools;
  for (const pid_t pid : pids) {
    const auto status =
        ParseProcessStatus(ReadWholeFile("/proc/" + std::to_string(pid) + "/status"));
    if (!status) continue;
    ++census.processes;
    census.threads += status->threads;
    census.address_space = std::max(census.address_space, status->address_space);
    AddThreadPools(ReadWhole(OpenAsProcess(pid, "maps", O_RDONLY)), pools);
  }
  census.thread_pools.assign(pools.begin(), pools.end());
  return census;
}

}  // namespace mlprof::agent
