// Why a model did not start, died or answered only errors, said so that a person can mend it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/limits.h"
#include "common/domain/profile.h"
#include "common/domain/write_error.h"
#include "server/analysis/memory_before_death.h"
#include "server/analysis/thrashing.h"

namespace mlprof::server {

/// What is known of a model that does not run.
struct DeathEvidence {
  Limits limits;
  std::int64_t oom_kills = 0;
  std::string killed_process;  // the name of the first that the kernel killed; "": not known
  std::optional<MemoryBeforeDeath> memory;  // how it stood, where the kernel killed
  std::optional<Thrashing> thrashing;       // likewise, where it did not get ready
  std::optional<std::string> start_failed;  // execve's reason
  std::optional<std::string> not_ready;     // what readiness was tried last
  std::optional<int> exit_code;
  std::optional<int> signal;
  /// The signal that was sent to its container from outside before: the end says nothing of it.
  std::optional<int> told_to_end;
  std::optional<DiskFull> disk_full;         // met while it lived
  std::vector<RefusedWrite> refused_writes;  // where they were watched; the likeliest last
  bool agent_lost = false;                   // the agent's connection broke without a word
  std::string log_tail;                      // of which the error's evidence is the end
};

/// "OutOfMemory" (the kernel's, the runtime's own heap, or a framework's that was refused memory),
/// "DeviceOutOfMemory" (likewise, of a device's), "DiskFull", "StartFailed",
/// "StartTimedOut", "ModelCrashed", "ModelExited" or "AgentLost".
ProfileError DiagnoseDeath(const DeathEvidence& evidence);

/// The end of a log, from the beginning of a line: so much as is told and stored.
std::string EvidenceOf(std::string_view log);

/// The rows that failed: the first failing status and body.
struct RowFailureEvidence {
  std::int64_t requests = 0;
  std::int64_t failures = 0;
  std::int64_t first_row = -1;  // -1: none failed
  int first_status = 0;
  std::string first_failure;  // "timeout", "reset"… where there was no whole response
  std::string first_body;
  std::optional<DiskFull> disk_full;  // met while they were asked
  std::string log_tail;               // of the model, where a server's error was answered
  std::optional<Bytes> memory_limit;  // that it had
};

/// "RowsFailed", or "OutOfMemory" and "DeviceOutOfMemory" where a response or the log says so:
/// all, or more than allowed, of the requests failed.
ProfileError DiagnoseRows(const RowFailureEvidence& evidence);

/// Whether the log says that something could not be written because the root is read-only. Its word
/// alone proves nothing.
bool MentionsReadOnlyFilesystem(std::string_view log);

}  // namespace mlprof::server
