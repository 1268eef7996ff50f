#include "agent/sampling/proc.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <ctime>
#include <string>

#include "agent/sampling/kept_file.h"

namespace mlprof::agent {

std::chrono::nanoseconds OwnCpuTime() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::optional<double> ParsePressure(std::string_view text) {
  constexpr std::string_view kStart = "some avg10=";
  if (!text.starts_with(kStart)) return std::nullopt;
  text.remove_prefix(kStart.size());
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc()) return std::nullopt;
  return percent;
}

std::optional<std::chrono::nanoseconds> ParseStallTime(std::string_view text) {
  constexpr std::string_view kTotal = " total=";
  if (!text.starts_with("some ")) return std::nullopt;
  const std::size_t at = text.substr(0, text.find('\n')).find(kTotal);
  if (at == std::string_view::npos) return std::nullopt;
  const auto total = ParseNumber(text.substr(at + kTotal.size()));
  if (!total) return std::nullopt;
  return std::chrono::microseconds(*total);
}

Bytes ParseAnonymous(std::string_view statm, long page_size) {
  std::int64_t fields[3] = {0, 0, 0};  // size, resident, shared
  for (std::int64_t& field : fields) {
    field = ParseNumber(statm).value_or(0);
    const std::size_t space = statm.find(' ');
    statm.remove_prefix(space == std::string_view::npos ? statm.size() : space + 1);
  }
  return Bytes(std::max<std::int64_t>(0, fields[1] - fields[2]) * page_size);
}

ProcReader::ProcReader(const std::string& proc)
    : statm_(proc + "/self/statm"), pressure_(proc + "/pressure/cpu") {}

Bytes ProcReader::OwnMemory() const {
  static const long page_size = ::sysconf(_SC_PAGESIZE);
  return ParseAnonymous(statm_.Read().value_or(""), page_size);
}

std::optional<double> ProcReader::HostCpuPressure() const {
  const auto text = pressure_.Read();
  return text ? ParsePressure(*text) : std::nullopt;
}

namespace {

// "Name:\t   123 kB"; `name` begins with the line before's end. Cuts the text up to it: the lines
// are asked for in the order in which they stand.
std::optional<std::int64_t> Take(std::string_view& status, std::string_view name) {
  const std::size_t at = status.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  status.remove_prefix(at + name.size());
  const std::size_t digits = status.find_first_not_of(" \t");
  if (digits == std::string_view::npos) return std::nullopt;
  return ParseNumber(status.substr(digits));
}

}  // namespace

std::optional<ProcessStatus> ParseProcessStatus(std::string_view status) {
  const auto address_space = Take(status, "\nVmSize:");
  const auto high_water = Take(status, "\nVmHWM:");
  const auto resident = Take(status, "\nVmRSS:");
  const auto file = Take(status, "\nRssFile:");
  const auto threads = Take(status, "\nThreads:");
  if (!high_water || !resident || !file || !address_space || !threads) return std::nullopt;
  return ProcessStatus{KiB(*high_water), KiB(*resident), KiB(*file), KiB(*address_space),
                       static_cast<int>(*threads)};
}

namespace {

class FileIds {
 public:
  // The group before the user: a process that has become another user may not change its group.
  FileIds(uid_t uid, gid_t gid) : old_gid_(::setfsgid(gid)), old_uid_(::setfsuid(uid)) {}
  FileIds(const FileIds&) = delete;
  FileIds& operator=(const FileIds&) = delete;
  ~FileIds() {
    ::setfsuid(static_cast<uid_t>(old_uid_));
    ::setfsgid(static_cast<gid_t>(old_gid_));
  }

 private:
  int old_gid_;
  int old_uid_;
};

}  // namespace

UniqueFd OpenAsProcess(pid_t pid, const char* file, int flags) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const std::string path = folder + "/" + file;
  // /proc/PID always belongs to the process's effective ids, even where its files belong to root.
  struct stat owner {};
  if (::stat(folder.c_str(), &owner) != 0) return UniqueFd();
  {
    const FileIds as(owner.st_uid, owner.st_gid);
    UniqueFd opened(::open(path.c_str(), flags | O_CLOEXEC));
    if (opened) return opened;
  }
  // The files of a process that is not dumpable belong to root.
  return UniqueFd(::open(path.c_str(), flags | O_CLOEXEC));
}

bool AsProcess(pid_t pid, const std::function<void()>& act) {
  const std::string folder = "/proc/" + std::to_string(pid);
  struct stat owner {};
  if (::stat(folder.c_str(), &owner) != 0) return false;
  const FileIds as(owner.st_uid, owner.st_gid);
  act();
  return true;
}

}  // namespace mlprof::agent
