// The golden logs of failed allocations.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace mlprof::server {

inline std::string Log(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::filesystem::path LogsFolder() {
  return std::filesystem::path(MLPROF_SOURCE_DIR) / "tests/golden/allocation_failure";
}

/// By their file names without ".log".
inline std::map<std::string, std::string> AllLogs() {
  std::map<std::string, std::string> logs;
  for (const auto& entry : std::filesystem::directory_iterator(LogsFolder())) {
    logs[entry.path().stem().string()] = Log(entry.path());
  }
  return logs;
}

}  // namespace mlprof::server
