#include "server/devices/tpu/file_holders.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace mlprof::server::tpu {
namespace {

std::optional<pid_t> PidOf(const std::string& name) {
  pid_t pid = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (wrong != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return pid;
}

bool Holds(const std::filesystem::path& descriptors, const std::vector<std::string>& files,
           bool& hidden) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(descriptors, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const std::string file = std::filesystem::read_symlink(entry->path(), gone).string();
    if (!gone && std::ranges::find(files, file) != files.end()) return true;
  }
  // A process that has ended meanwhile is another error.
  hidden = hidden || error == std::errc::permission_denied;
  return false;
}

}  // namespace

FileHolders HoldersOf(const std::vector<std::string>& files, const std::filesystem::path& proc) {
  FileHolders holders;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(proc, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto pid = PidOf(entry->path().filename().string());
    if (pid && Holds(entry->path() / "fd", files, holders.hidden)) holders.pids.insert(*pid);
  }
  return holders;
}

}  // namespace mlprof::server::tpu
