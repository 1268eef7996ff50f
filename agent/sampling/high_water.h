// Memory peaks without a gap: the kernel keeps for every process the most that was ever resident
// (VmHWM) and forgets it when "5" is written to its clear_refs (proc(5)), so that a spike of a few
// milliseconds is seen whenever one looks. Two spans are kept at once, the stretch between two
// samples and the present row; whoever resets the kernel's mark first notes it for both.
//
// Pages of files are not the model's need. What a process had of them at the beginning of a span
// and no longer has is taken out of its rise, as is what it has gained since the row began.
//
// One thread. A reading costs some 10 µs a process; a reset waits while the process holds its
// memory map's lock (a large mmap or munmap in progress).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "agent/sampling/kept_file.h"
#include "agent/sampling/model_processes.h"
#include "agent/sampling/proc.h"
#include "common/os/unique_fd.h"
#include "common/units/bytes.h"

namespace mlprof::agent {

class HighWater {
 public:
  using List = std::function<std::set<pid_t>()>;
  /// `list` names the model's processes.
  explicit HighWater(List list = &ListModelProcesses) : list_(std::move(list)) {}

  struct Rise {
    Bytes largest;   // of one process, over what it has now
    Bytes sum;       // of all; an upper bound, as workers share pages and peak at different times
    Bytes resident;  // of all, now; pages that processes share count in each
    Bytes file;      // the most that one process has of files now
  };
  /// How far memory stood above the present in this stretch. A process that appeared in it counts
  /// from its own start. Absent where the marks of a process cannot be reset.
  std::optional<Rise> Read();
  /// The next stretch begins with the last Read.
  void BeginStretch();

  /// The row's span begins now.
  void BeginRow();
  /// The largest rise of one process over what it had when the row began.
  std::optional<Bytes> EndRow();

 private:
  struct Span {
    std::optional<ProcessStatus> begin;  // absent for a process that appeared within it
    Bytes high;
  };
  struct Process {
    KeptFile status;
    UniqueFd clear_refs;
    ProcessStatus now{};
    bool has_memory = false;
    Span stretch{};
    Span row{};
  };

  void ReadAll();
  void FollowList();
  bool ReadStatus(Process& process);
  void Restart(Span Process::*span);
  bool Complete() const;

  const List list_;
  ProcessBirths births_;
  std::map<pid_t, Process> processes_;
};

}  // namespace mlprof::agent
