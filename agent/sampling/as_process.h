// Opens files of another process's /proc folder that only its own user may open. The agent has uid
// 0 but not the capability to pass over file modes; it may however take on the process's ids for
// the files that it opens (setfsuid, setfsgid), which SETUID and SETGID allow.
#pragma once

#include <sys/types.h>

#include "common/os/unique_fd.h"

namespace mlprof::agent {

/// Opens /proc/PID/`file` with open()'s `flags`; empty where that is refused or the process is
/// gone. One thread at a time.
UniqueFd OpenAsProcess(pid_t pid, const char* file, int flags);

}  // namespace mlprof::agent
