#include "tests/targets/target/options.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>
#include <thread>

namespace target {
namespace {

// As OpenMP does it: what the environment says, else every core of the host, whatever the quota.
int PoolThreads(std::string_view value) {
  if (value != "host") return std::atoi(value.data());
  const char* const set = std::getenv("OMP_NUM_THREADS");
  if (set != nullptr && std::atoi(set) > 0) return std::atoi(set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

// A relative path lies in the model's folder, wherever that was mounted.
std::string InModelFolder(const std::string& path) {
  const char* const folder = std::getenv("AZUREML_MODEL_DIR");
  if (path.starts_with('/') || folder == nullptr) return path;
  return std::string(folder) + "/" + path;
}

}  // namespace

void Refuse(const std::string& why) {
  std::fprintf(stderr, "target_server: %s: %s\n", why.c_str(), std::strerror(errno));
  std::exit(1);
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  const auto number = [](int& field) { return [&field](const char* v) { field = std::atoi(v); }; };
  const std::map<std::string, std::function<void(const char*)>> known = {
      {"--port", number(options.port)},
      {"--start-ms", number(options.start_ms)},
      {"--start-sleep-ms", number(options.start_sleep_ms)},
      {"--start-mib", number(options.start_mib)},
      {"--start-spike-mib", number(options.start_spike_mib)},
      {"--start-spike-ms", number(options.start_spike_ms)},
      {"--workers", number(options.workers)},
      {"--worker-mib", number(options.worker_mib)},
      {"--idle-workers", number(options.idle_workers)},
      {"--max-requests", number(options.max_requests)},
      {"--cache-max-mib", number(options.cache_max_mib)},
      {"--heap-live-mib", number(options.heap_live_mib)},
      {"--heap-share", [&](const char* v) { options.heap_share = std::atof(v); }},
      {"--worker-lazy-mib", number(options.worker_lazy_mib)},
      {"--pool", [&](const char* v) { options.pool_threads = PoolThreads(v); }},
      {"--map-file", [&](const char* v) { options.map_file = InModelFolder(v); }},
      {"--map-share", [&](const char* v) { options.map_share = std::atof(v); }},
      {"--write-dir", [&](const char* v) { options.write_dir = v; }},
  };
  const std::map<std::string, bool*> flags = {{"--needs-root", &options.needs_root},
                                              {"--pool-spins", &options.pool_spins},
                                              {"--response-cache", &options.response_cache},
                                              {"--in-order", &options.in_order},
                                              {"--close", &options.close},
                                              {"--first-idle", &options.first_idle}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (const auto flag = flags.find(name); flag != flags.end()) {
      *flag->second = true;
      continue;
    }
    const auto option = known.find(name);
    if (option == known.end()) Refuse("unknown option " + name);
    if (i + 1 == argc) Refuse("no value for " + name);
    option->second(argv[++i]);
  }
  // Who is replaced must have someone to replace it.
  if (options.max_requests > 0 && options.workers == 0) options.workers = 1;
  return options;
}

}  // namespace target
