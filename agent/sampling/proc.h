// What /proc says: the agent's own cost, the host's CPU pressure, and another process's memory and
// threads; and how those files of another process are opened that only its own user may open.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/sampling/kept_file.h"
#include "common/os/unique_fd.h"
#include "common/units/bytes.h"

namespace mlprof::agent {

/// CPU time of this process, all threads, to the nanosecond.
std::chrono::nanoseconds OwnCpuTime();

/// "some avg10=1.23 avg60=…" → 1.23, percent.
std::optional<double> ParsePressure(std::string_view text);
/// "some avg10=… total=1234\n…" → 1234 µs: the time some task stood still so far.
std::optional<std::chrono::nanoseconds> ParseStallTime(std::string_view text);
/// /proc/self/statm → resident minus file-backed pages.
Bytes ParseAnonymous(std::string_view statm, long page_size);

class ProcReader {
 public:
  /// `proc` is "/proc" but for tests.
  explicit ProcReader(const std::string& proc = "/proc");
  Bytes OwnMemory() const;
  /// Absent where the kernel keeps no pressure figures.
  std::optional<double> HostCpuPressure() const;

 private:
  KeptFile statm_;
  KeptFile pressure_;
};

/// What /proc/PID/status says of one process's memory and threads.
struct ProcessStatus {
  Bytes high_water;     // VmHWM: the most that was resident since the start or the last reset
  Bytes resident;       // VmRSS
  Bytes file;           // RssFile: of it, pages of files, which the kernel may take back
  Bytes address_space;  // VmSize: all that is mapped or reserved, whether or not it was touched
  int threads = 0;
};

/// Absent for a process without memory of its own: one that has ended, or the text of one.
std::optional<ProcessStatus> ParseProcessStatus(std::string_view status);

/// Opens /proc/PID/`file`, which only the process's own user may open, with open()'s `flags`; empty
/// where that is refused or the process is gone. The agent has uid 0 but not the capability to pass
/// over file modes; it may however take on the process's ids for the files that it opens (setfsuid,
/// setfsgid), which SETUID and SETGID allow. One thread at a time.
UniqueFd OpenAsProcess(pid_t pid, const char* file, int flags);

/// Does `act` with the process's ids, for what is looked at when it is read rather than when it is
/// opened (/proc/PID/fd). False where the process is gone. One thread at a time.
bool AsProcess(pid_t pid, const std::function<void()>& act);

}  // namespace mlprof::agent
