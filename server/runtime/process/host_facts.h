// What this machine can give a process.
#pragma once

#include "common/domain/profile.h"
#include "server/runtime/process/process_context.h"

namespace mlprof::server::process {

/// All of them, whatever the server itself is kept to.
int ThisMachinesCores();

/// Within what the server's own cgroup is limited to.
HostFacts HostOf(ProcessContext& context);

/// "MemTotal:  123 kB" among the lines of /proc/meminfo; nothing where it is not told. Pure.
Bytes TotalMemoryIn(std::string_view meminfo);

}  // namespace mlprof::server::process
