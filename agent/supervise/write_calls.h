// The system calls that make, alter or remove a file by its name: those that a read-only file
// system refuses. And where such a name led, for a call that was refused.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/domain/write_error.h"
#include "common/result/result.h"

namespace mlprof::agent {

enum class WriteKind {
  kFile,     // opens or alters what the path leads to, links followed
  kName,     // makes or alters the name alone
  kRemoval,  // removes it
};

struct WriteCall {
  long number;
  WriteKind kind;
  int from;        // the argument with the descriptor that a relative path starts at; -1: none
  int path;        // the argument that points to the path
  int flags = -1;  // open's, which say whether it writes; -1: it always does
  int offset = 0;  // of the path where the argument points to
};

/// nullptr for any other call of this machine's own ABI.
const WriteCall* FindWriteCall(std::uint64_t number);

/// From now on each of them stops this process, and all it starts, for its tracer; without one they
/// fail. Needs PR_SET_NO_NEW_PRIVS.
Status StopAtWriteCalls();

/// Where a write led that process `pid` made by a path of its own. `given` is the path as it gave
/// it, `from` the descriptor that a relative one starts at (AT_FDCWD: its working directory).
/// Nothing for the kernel's own file systems and mlprof's own folder, for the removal of what is
/// not there, and where it cannot be known. One thread at a time.
std::optional<RefusedWrite> FindRefused(pid_t pid, int from, const std::string& given,
                                        WriteKind kind);

}  // namespace mlprof::agent
