// Where a write led that a process made by a path of its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "agent/supervise/write_calls.h"
#include "common/domain/refused_write.h"

namespace mlprof::agent {

/// `given` is the path as process `pid` gave it, `from` the descriptor that a relative one starts
/// at (AT_FDCWD: its working directory). Nothing for the kernel's own file systems and mlprof's own
/// folder, for the removal of what is not there, and where it cannot be known. One thread at a
/// time.
std::optional<RefusedWrite> FindRefused(pid_t pid, int from, const std::string& given,
                                        WriteKind kind);

}  // namespace mlprof::agent
