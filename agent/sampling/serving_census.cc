#include "agent/sampling/serving_census.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <memory>
#include <string>

#include "agent/loop/event_loop.h"
#include "agent/sampling/kept_file.h"
#include "agent/sampling/proc.h"

namespace mlprof::agent {
namespace {

using agent_protocol::Listens;
using agent_protocol::ModelProcess;

constexpr std::string_view kListenState = "0A";  // TCP_LISTEN
constexpr std::size_t kInodeField = 9;           // of a line of /proc/net/tcp, from 0

std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::string_view TakeField(std::string_view& line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  const std::string_view field = line.substr(0, line.find(' '));
  line.remove_prefix(field.size());
  return field;
}

template <class T>
std::optional<T> NumberOf(std::string_view text, int base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::set<std::uint64_t> Listeners(int port) {
  std::set<std::uint64_t> inodes;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    inodes.merge(ParseListeners(ReadWholeFile(table), port));
  }
  return inodes;
}

// "socket:[1234]" → 1234.
std::optional<std::uint64_t> SocketInode(std::string_view link) {
  constexpr std::string_view kStart = "socket:[";
  if (!link.starts_with(kStart) || !link.ends_with(']')) return std::nullopt;
  link.remove_prefix(kStart.size());
  link.remove_suffix(1);
  return NumberOf<std::uint64_t>(link, 10);
}

Listens LooksAtDescriptors(const std::string& folder, const std::set<std::uint64_t>& listeners) {
  const std::unique_ptr<DIR, int (*)(DIR*)> descriptors(::opendir(folder.c_str()), &::closedir);
  if (!descriptors) return Listens::kUnknown;
  bool unreadable = false;
  while (const dirent* entry = ::readdir(descriptors.get())) {
    if (entry->d_name[0] == '.') continue;
    std::array<char, 64> link{};
    const ssize_t size =
        ::readlinkat(::dirfd(descriptors.get()), entry->d_name, link.data(), link.size());
    unreadable = unreadable || (size < 0 && errno == EACCES);
    if (size <= 0) continue;
    const auto inode = SocketInode({link.data(), static_cast<std::size_t>(size)});
    if (inode && listeners.contains(*inode)) return Listens::kYes;
  }
  return unreadable ? Listens::kUnknown : Listens::kNo;
}

Listens ListensOf(pid_t pid, const std::set<std::uint64_t>& listeners) {
  Listens listens = Listens::kUnknown;
  AsProcess(pid, [&] {
    listens = LooksAtDescriptors("/proc/" + std::to_string(pid) + "/fd", listeners);
  });
  return listens;
}

// The process's own clock: to the nanosecond, with the threads that have ended, and open to all.
std::chrono::nanoseconds CpuTimeOf(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// FNV-1a.
std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

std::chrono::nanoseconds TicksToTime(std::int64_t ticks) {
  static const long ticks_per_second = ::sysconf(_SC_CLK_TCK);
  return std::chrono::nanoseconds(ticks * (1'000'000'000 / ticks_per_second));
}

std::optional<ModelProcess> ReadProcess(pid_t pid, const std::set<std::uint64_t>& listeners) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const auto stat = ParseProcessStat(ReadWholeFile(folder + "/stat"));
  const auto status = ParseProcessStatus(ReadWholeFile(folder + "/status"));
  if (!stat || !status) return std::nullopt;
  ModelProcess process;
  process.pid = pid;
  process.parent = stat->parent;
  process.started = TicksToTime(stat->started);
  process.cpu_time = CpuTimeOf(pid);
  process.resident = status->resident;
  process.listens = ListensOf(pid, listeners);
  process.program = HashOf(ReadWholeFile(folder + "/cmdline"));
  return process;
}

}  // namespace

std::set<std::uint64_t> ParseListeners(std::string_view table, int port) {
  std::set<std::uint64_t> inodes;
  while (!table.empty()) {
    std::string_view line = TakeLine(table);
    std::array<std::string_view, kInodeField + 1> fields;
    for (std::string_view& field : fields) field = TakeField(line);
    const std::string_view local = fields[1];
    const std::size_t colon = local.rfind(':');
    if (fields[3] != kListenState || colon == std::string_view::npos) continue;
    if (NumberOf<int>(local.substr(colon + 1), 16) != port) continue;
    if (const auto inode = NumberOf<std::uint64_t>(fields[kInodeField], 10)) inodes.insert(*inode);
  }
  return inodes;
}

std::optional<ProcessStat> ParseProcessStat(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = stat.substr(name_end + 1);
  const std::string_view state = TakeField(rest);
  if (state == "Z" || state == "X") return std::nullopt;
  const auto parent = NumberOf<pid_t>(TakeField(rest), 10);
  constexpr int kFieldsToStart = 17;  // from the fifth to the one before starttime, the 22nd
  for (int i = 0; i < kFieldsToStart; ++i) TakeField(rest);
  const auto started = NumberOf<std::int64_t>(TakeField(rest), 10);
  if (!parent || !started) return std::nullopt;
  return ProcessStat{*parent, *started};
}

std::optional<Bytes> ParsePrivateMemory(std::string_view rollup) {
  constexpr std::string_view kName = "\nPrivate_Dirty:";
  const std::size_t at = rollup.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = rollup.substr(at + kName.size());
  const auto kib = NumberOf<std::int64_t>(TakeField(rest), 10);
  if (!kib) return std::nullopt;
  return KiB(*kib);
}

agent_protocol::Processes ReadProcesses(const std::set<pid_t>& pids, int port) {
  agent_protocol::Processes found;
  const std::set<std::uint64_t> listeners = Listeners(port);
  found.at = Clock::now().time_since_epoch();
  for (const pid_t pid : pids) {
    if (auto process = ReadProcess(pid, listeners)) found.processes.push_back(*process);
  }
  auto& processes = found.processes;
  std::stable_sort(processes.begin(), processes.end(),
                   [](const ModelProcess& a, const ModelProcess& b) {
                     return a.listens == Listens::kYes && b.listens != Listens::kYes;
                   });
  found.more = processes.size() > agent_protocol::kMaxProcesses;
  if (found.more) processes.resize(agent_protocol::kMaxProcesses);
  for (ModelProcess& process : processes) {
    const auto pid = static_cast<pid_t>(process.pid);
    process.private_memory =
        ParsePrivateMemory(ReadWhole(OpenAsProcess(pid, "smaps_rollup", O_RDONLY)));
  }
  return found;
}

}  // namespace mlprof::agent
