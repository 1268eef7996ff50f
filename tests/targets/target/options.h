// What a target server is told on its command line; target_server.cc says what each option does.
#pragma once

#include <string>

namespace target {

struct Options {
  int port = 8080;
  int start_ms = 0;
  int start_sleep_ms = 0;
  int start_mib = 0;
  int start_spike_mib = 0;
  int start_spike_ms = 100;
  int workers = 0;
  int worker_mib = 0;
  int worker_lazy_mib = 0;
  int pool_threads = 0;  // 0: no pool
  bool pool_spins = false;
  std::string map_file;
  double map_share = 1;
  double heap_share = 0;  // of the container's memory limit; 0: no heap
  int heap_live_mib = 0;
  int cache_max_mib = 0;  // 0: no bound
  bool response_cache = false;
  bool in_order = false;
  bool close = false;
  int idle_workers = 0;
  bool first_idle = false;
  int max_requests = 0;  // 0: a worker serves for ever
  bool needs_root = false;
  std::string write_dir;
};

/// Prints why, with errno's text, and exits with 1.
[[noreturn]] void Refuse(const std::string& why);

/// Exits where an option is unknown or has no value.
Options ParseOptions(int argc, char** argv);

}  // namespace target
