// What /proc/PID/status says of one process's memory and threads. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "common/units/bytes.h"

namespace mlprof::agent {

struct ProcessStatus {
  Bytes high_water;  // VmHWM: the most that was resident since the start or the last reset
  Bytes resident;    // VmRSS
  Bytes file;        // RssFile: of it, pages of files, which the kernel may take back
  int threads = 0;
};

/// Absent for a process without memory of its own: one that has ended, or the text of one.
std::optional<ProcessStatus> ParseProcessStatus(std::string_view status);

}  // namespace mlprof::agent
