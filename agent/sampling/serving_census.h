// Which processes the model has, what each of them used, and which of them hold the socket that the
// rows are sent to: from that the controller tells how many serve.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "common/agent_protocol/frame.h"
#include "common/agent_protocol/messages.h"

namespace mlprof::agent {

/// Inodes of the sockets that listen on `port`, of /proc/net/tcp or tcp6. Pure.
std::set<std::uint64_t> ParseListeners(std::string_view table, int port);

/// What /proc/PID/stat says of one process's place.
struct ProcessStat {
  pid_t parent = 0;
  std::int64_t started = 0;  // clock ticks since the machine's
};
/// The name in it may hold spaces and parentheses. Absent for a process that has ended and waits to
/// be reaped. Pure.
std::optional<ProcessStat> ParseProcessStat(std::string_view stat);

/// Of /proc/PID/smaps_rollup: pages that are in this process alone and were written. Pages of files
/// that only it has mapped may be dropped and are left out. Pure.
std::optional<Bytes> ParsePrivateMemory(std::string_view rollup);

/// Reads each; costs some milliseconds for a process of a GiB (its page tables are walked).
agent_protocol::Processes ReadProcesses(const std::set<pid_t>& pids, int port);

}  // namespace mlprof::agent
