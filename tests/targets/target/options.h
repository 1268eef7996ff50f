// What a target server is told on its command line; target_server.cc says what each option does.
#pragma once

#include <string>

namespace target {

struct Options {
  int port = 8080;
  int start_ms = 0;
  int start_mib = 0;
  int start_spike_mib = 0;
  int start_spike_ms = 100;
  int workers = 0;
  int worker_mib = 0;
  int pool_threads = 0;  // 0: no pool
  bool pool_spins = false;
  std::string map_file;
  double map_share = 1;
  bool needs_root = false;
  std::string write_dir;
};

/// Prints why, with errno's text, and exits with 1.
[[noreturn]] void Refuse(const std::string& why);

/// Exits where an option is unknown or has no value.
Options ParseOptions(int argc, char** argv);

}  // namespace target
