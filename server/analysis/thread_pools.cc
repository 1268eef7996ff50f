#include "server/analysis/thread_pools.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

constexpr double kThrottled = 0.05;  // of the periods: chosen, not measured; it only starts a trial
constexpr std::string_view kOpenMp = "OMP_NUM_THREADS";
constexpr std::string_view kServerProcesses = "WEB_CONCURRENCY";

struct Setting {
  std::string_view library;
  std::string_view variable;
  bool falls_back_to_openmp;  // reads OMP_NUM_THREADS where its own variable is absent
};

// torch sizes by either; ONNX Runtime by the first, where it was built with OpenMP.
constexpr std::array<Setting, 11> kSettings = {{
    {"libgomp", kOpenMp, false},
    {"libiomp5", kOpenMp, false},
    {"libomp", kOpenMp, false},
    {"libmkl", "MKL_NUM_THREADS", true},
    {"libopenblas", "OPENBLAS_NUM_THREADS", true},
    {"libblis", "BLIS_NUM_THREADS", true},
    {"libtensorflow", "TF_NUM_INTRAOP_THREADS", false},
    {"libtensorflow", "TF_NUM_INTEROP_THREADS", false},
    {"libtorch", kOpenMp, false},
    {"libtorch", "MKL_NUM_THREADS", true},
    {"libonnxruntime", kOpenMp, false},
}};

bool Maps(const ThreadPoolEvidence& evidence, std::string_view library) {
  const auto& libraries = evidence.libraries;
  return std::find(libraries.begin(), libraries.end(), library) != libraries.end();
}

bool MapsAnyPool(const ThreadPoolEvidence& evidence) {
  return std::any_of(kSettings.begin(), kSettings.end(),
                     [&](const Setting& setting) { return Maps(evidence, setting.library); });
}

bool IsSet(const ThreadPoolEvidence& evidence, std::string_view variable) {
  return evidence.environment.contains(std::string(variable));
}

int WholeCores(Cores cores) { return static_cast<int>((cores.millicores() + 999) / 1000); }

// Of several processes one is taken for the parent that only watches.
int ServingProcesses(const ThreadPoolEvidence& evidence) {
  return std::max(1, evidence.processes > 1 ? evidence.processes - 1 : evidence.processes);
}

int ThreadsOfEach(const ThreadPoolEvidence& evidence) {
  const int watching = evidence.processes > 1 ? 1 : 0;
  return (evidence.threads - watching) / ServingProcesses(evidence);
}

bool ThreadsSizedByHost(const ThreadPoolEvidence& evidence) {
  const bool known = MapsAnyPool(evidence);
  if (!known && evidence.random_arrivals) return false;
  const int fewest = evidence.visible_cores + (known ? 0 : 1);
  const int threads = ThreadsOfEach(evidence);
  return threads >= fewest && threads > WholeCores(evidence.limit);
}

// One for each core, two, or two and one more: what servers are told to start by their guides.
bool ProcessesSizedByHost(const ThreadPoolEvidence& evidence) {
  const int serving = evidence.processes - 1;
  if (serving <= WholeCores(evidence.limit)) return false;
  const auto counts = [&](int cores) {
    return cores >= 2 && (serving == cores || serving == 2 * cores || serving == 2 * cores + 1);
  };
  return counts(evidence.visible_cores) || counts(evidence.host_cores);
}

}  // namespace

bool PoolsSuspected(const ThreadPoolEvidence& evidence) {
  if (WholeCores(evidence.limit) >= evidence.visible_cores) return false;
  if (evidence.throttled_share <= kThrottled) return false;
  return ThreadsSizedByHost(evidence) || ProcessesSizedByHost(evidence);
}

std::optional<std::map<std::string, std::string>> SuggestPoolSizes(
    const ThreadPoolEvidence& evidence, int size) {
  const std::string value = std::to_string(std::max(1, size));
  std::map<std::string, std::string> settings;
  for (const Setting& setting : kSettings) {
    if (!Maps(evidence, setting.library)) continue;
    if (IsSet(evidence, setting.variable)) continue;
    if (setting.falls_back_to_openmp && IsSet(evidence, kOpenMp)) continue;
    settings.emplace(setting.variable, value);
  }
  const bool unknown_pool = !MapsAnyPool(evidence) && ThreadsSizedByHost(evidence);
  if (unknown_pool && !IsSet(evidence, kOpenMp)) settings.emplace(kOpenMp, value);
  if (ProcessesSizedByHost(evidence) && !IsSet(evidence, kServerProcesses)) {
    settings.emplace(kServerProcesses, value);
  }
  if (settings.empty()) return std::nullopt;
  return settings;
}

std::optional<std::string> AdviseOnPools(const ThreadPoolEvidence& evidence, int size) {
  const char* where = evidence.entry_script ? "the entry script" : "the program of the image";
  const int threads = std::max(1, size);
  if (Maps(evidence, "libonnxruntime")) {
    return Sentence(
        "ONNX Runtime takes no size from the environment unless it was built with OpenMP: set "
        "intra_op_num_threads of its session options to %d in %s",
        threads, where);
  }
  if (Maps(evidence, "libtbb")) {
    return Sentence("TBB takes no size from the environment: limit its arena to %d in %s", threads,
                    where);
  }
  return std::nullopt;
}

}  // namespace mlprof::server
