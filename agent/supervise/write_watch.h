// Sees, as the model's tracer, which of its writes the kernel refused because a file system is
// read-only: the call's own result, not a guess from its path. Slows those calls down, so it is for
// a start that measures nothing.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "agent/supervise/write_calls.h"
#include "common/domain/write_error.h"
#include "common/result/result.h"

namespace mlprof::agent {

/// In the model's process, before execve: hands it to its parent, and waits there until that
/// watches it. An error where this machine allows it no tracer.
Status LetWritesBeWatched();

/// For the thread that started the model and waits for its processes. They do not outlive it.
class WriteWatch {
 public:
  /// A stop that waitpid told; lets the process go on. An error where the first one cannot be
  /// watched.
  Status OnStop(pid_t pid, int status);
  void Forget(pid_t pid);
  /// Some of the last ones, each path once, the likeliest to have ended the model last: those for
  /// which no folder could be made writable first, then removals, then the others, as they came.
  std::vector<RefusedWrite> refused() const;

 private:
  struct Call {
    const WriteCall* what;
    std::array<std::uint64_t, 6> arguments;
  };

  struct Refusal {
    RefusedWrite write;
    int weight;  // the more, the likelier it is what ended the model
  };

  static Status Begin(pid_t pid);
  void NoteCall(pid_t pid);
  void NoteResult(pid_t pid);
  void Keep(Refusal refusal);

  std::set<pid_t> known_;        // also threads
  std::map<pid_t, Call> calls_;  // those under way
  std::vector<Refusal> refused_;
};

}  // namespace mlprof::agent
