#include "common/os/loop_support.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace mlprof {
namespace {

constexpr int kSysAdmin = 21;  // CAP_SYS_ADMIN

bool MayMount() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("CapEff:")) continue;
    const std::uint64_t held = std::strtoull(line.c_str() + 7, nullptr, 16);
    return (held >> kSysAdmin & 1) != 0;
  }
  return ::geteuid() == 0;
}

}  // namespace

std::filesystem::path FindMkfs() {
  const char* const path = std::getenv("PATH");
  std::stringstream folders("/usr/sbin:/sbin:" + std::string(path ? path : ""));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto program = std::filesystem::path(folder) / "mkfs.ext4";
    if (program.is_absolute() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

std::string MissingForLoopVolumes() {
  std::string missing;
  const auto add = [&](const char* what) {
    missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  if (!MayMount()) add("the right to mount (root or CAP_SYS_ADMIN)");
  if (::access("/dev/loop-control", R_OK | W_OK) != 0) add("/dev/loop-control");
  if (FindMkfs().empty()) add("mkfs.ext4 (e2fsprogs)");
  return missing;
}

}  // namespace mlprof
