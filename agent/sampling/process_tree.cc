#include "agent/sampling/process_tree.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <string>

#include "agent/sampling/proc.h"

namespace mlprof::agent {
namespace {

// Of all threads of another process, those that have ended too; to the nanosecond.
std::chrono::nanoseconds TimeOf(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// Of the agent's children that it has reaped, and of theirs.
std::chrono::nanoseconds ReapedTime() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto time = [](const timeval& value) {
    return std::chrono::seconds(value.tv_sec) + std::chrono::microseconds(value.tv_usec);
  };
  return time(usage.ru_utime) + time(usage.ru_stime);
}

std::string FileOf(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

Bytes KilobytesAt(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  const std::size_t digits = text.find_first_of("0123456789", at + name.size());
  if (digits == std::string_view::npos) return {};
  return KiB(ParseNumber(text.substr(digits)).value_or(0));
}

MemoryShare ShareOf(pid_t pid) {
  return ParseSmapsRollup(ReadWhole(OpenAsProcess(pid, "smaps_rollup", 0)));
}

}  // namespace

std::chrono::nanoseconds ProcessTree::CpuTime() const {
  static const long ticks = ::sysconf(_SC_CLK_TCK);
  std::chrono::nanoseconds sum = OwnCpuTime() + ReapedTime();
  for (const pid_t pid : processes_.Now()) {
    sum += TimeOf(pid) + ParseReapedTime(ReadWholeFile(FileOf(pid, "stat")), ticks);
  }
  return sum;
}

// Resident pages, which are read quickly: those that processes share count in each.
void ProcessTree::ReadUsage(CgroupReading& reading) const {
  Bytes sum;
  for (const pid_t pid : processes_.Now()) {
    const auto status = ParseProcessStatus(ReadWholeFile(FileOf(pid, "status")));
    if (status) sum += status->resident;
  }
  reading.usage = sum;
}

void ProcessTree::ReadMemory(CgroupReading& reading) const {
  // The agent's own is taken out again.
  MemoryShare sum{own_.OwnMemory(), Bytes()};
  for (const pid_t pid : processes_.Now()) {
    const MemoryShare share = ShareOf(pid);
    sum.anonymous += share.anonymous;
    sum.file += share.file;
  }
  reading.unreclaimable = sum.anonymous;
  reading.cache = reading.mapped_file = sum.file;
}

void ProcessTree::ReadRest(CgroupReading& reading) const {
  std::int64_t tasks = 1;  // the agent has one thread
  for (const pid_t pid : processes_.Now()) {
    const auto status = ParseProcessStatus(ReadWholeFile(FileOf(pid, "status")));
    if (status) tasks += status->threads;
  }
  reading.processes = tasks;
}

MemoryShare ParseSmapsRollup(std::string_view text) {
  MemoryShare share;
  share.anonymous = KilobytesAt(text, "\nPss_Anon:") + KilobytesAt(text, "\nPss_Shmem:");
  share.file = KilobytesAt(text, "\nPss_File:");
  return share;
}

std::chrono::nanoseconds ParseReapedTime(std::string_view stat, long ticks_per_second) {
  // Behind the name, which may hold spaces and brackets: state is field 3, cutime 16, cstime 17.
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || ticks_per_second <= 0) return {};
  std::string_view rest = stat.substr(name_end + 2);
  std::int64_t ticks = 0;
  for (int field = 3; field <= 17; ++field) {
    if (field >= 16) ticks += ParseNumber(rest).value_or(0);
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) break;
    rest.remove_prefix(space + 1);
  }
  return std::chrono::nanoseconds(ticks * (1'000'000'000 / ticks_per_second));
}

}  // namespace mlprof::agent
