#include "server/analysis/diagnosis.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "server/analysis/allocation_failure/allocation_advice.h"
#include "server/analysis/allocation_failure/allocation_failure.h"
#include "server/analysis/heap.h"

namespace mlprof::server {
namespace {

// What is told and stored of a log; more of it is searched.
constexpr std::size_t kMostEvidence = 8UL * 1024;
// A traceback of what was died of is shorter; the summary before it may be farther.
constexpr std::size_t kFatalWords = 32UL * 1024;
// Of a model that goes on: what it wrote before may be of another row.
constexpr std::size_t kLastWords = 4UL * 1024;
constexpr std::size_t kComparedWords = 200;  // of a line that may be cut

std::string Mebibytes(Bytes bytes) {
  return std::to_string(static_cast<std::int64_t>(bytes.mib())) + " MiB";
}

// A failure that was caught and outlived stands farther from the end than one that was died of.
std::optional<AllocationFailure> FailureAtTheEnd(std::string_view log) {
  auto failure = FindAllocationFailure(log);
  if (!failure) return std::nullopt;
  const std::string_view end = log.substr(log.size() - std::min(log.size(), kFatalWords));
  const std::string words = failure->words.substr(0, kComparedWords);
  if (end.find(words) == std::string_view::npos) return FindAllocationFailure(end);
  return failure;
}

std::string Victim(const DeathEvidence& evidence) {
  const std::string& name = evidence.killed_process;
  return name.empty() ? "the model" : "the model's process '" + name + "'";
}

// The kernel says nothing of which allocation it killed for, and most models print nothing either.
ProfileError OutOfMemory(const DeathEvidence& evidence) {
  ProfileError error{
      "OutOfMemory",
      "the kernel killed " + Victim(evidence) + " for memory at the limit of " +
          Mebibytes(evidence.limits.memory()),
      {"allow more memory with --memory-gb (containerResourceRequirements.memoryInGb)",
       "load the model in pieces or in a smaller type, if it is the loading that needs it"},
      evidence.log_tail};
  if (evidence.memory) error.message += "; " + Sentence(*evidence.memory, evidence.limits.memory());
  error.allocation = FailureAtTheEnd(evidence.log_tail);
  error.message += error.allocation ? "; before that " + Sentence(*error.allocation)
                                    : "; which allocation it was for is unknown: its log says "
                                      "nothing of it";
  return error;
}

const std::vector<std::string>& DiskAdvice(const DiskFull& full) {
  static const std::vector<std::string> scratch = {
      "let the model write less to /tmp, HOME and its writablePaths, or remove what it is done "
      "with",
      "the server's operator allows more with mlprof-server --scratch-limit-gb"};
  static const std::vector<std::string> host = {
      "let the model write less, or remove what is not needed from that disk"};
  return full.place == DiskFull::Place::kHost ? host : scratch;
}

ProfileError EndedByDisk(const DeathEvidence& evidence) {
  return {"DiskFull", "the model was ended: " + Clause(*evidence.disk_full),
          DiskAdvice(*evidence.disk_full), evidence.log_tail};
}

// How it died of a bound that it met by itself, told with the bound before what the log may say.
ProfileError DiedOfDisk(ProfileError death, const DiskFull& full) {
  death.code = "DiskFull";
  death.message += "; " + Clause(full);
  death.advice.insert(death.advice.begin(), DiskAdvice(full).begin(), DiskAdvice(full).end());
  return death;
}

// A framework that was refused memory, in its own words.
ProfileError WithFailedAllocation(ProfileError error, const AllocationFailure& failure,
                                  const std::optional<Bytes>& limit) {
  error.code = failure.on_device ? "DeviceOutOfMemory" : "OutOfMemory";
  error.message += "; " + Sentence(failure);
  error.allocation = failure;
  error.advice = AdviceFor(failure, limit);
  return error;
}

// A runtime that ran out of its own heap, or a framework of memory, which the kernel did not see.
ProfileError WithFullHeap(ProfileError error, std::string_view said,
                          const std::optional<Bytes>& limit) {
  if (const auto failure = FailureAtTheEnd(said)) {
    return WithFailedAllocation(std::move(error), *failure, limit);
  }
  const auto words = FullHeapWords(said.substr(said.size() - std::min(said.size(), kFatalWords)));
  if (!words) return error;
  error.code = "OutOfMemory";
  error.message += "; its heap was full: " + *words;
  error.advice = {
      "allow more memory with --memory-gb (containerResourceRequirements.memoryInGb): a heap that "
      "follows the limit grows with it",
      "or give the heap a larger part of it (-Xmx, -XX:MaxRAMPercentage, --max-old-space-size, "
      "DOTNET_GCHeapHardLimitPercent)"};
  return error;
}

// A traceback within a JSON text has its line ends and quotes written out.
std::string Unquoted(std::string_view body) {
  std::string text;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool written_out = body[i] == '\\' && i + 1 < body.size();
    if (written_out && body[i + 1] == 'n') {
      text += '\n';
      ++i;
    } else if (written_out && body[i + 1] == '"') {
      text += '"';
      ++i;
    } else {
      text += body[i];
    }
  }
  return text;
}

ProfileError StartFailed(const DeathEvidence& evidence) {
  return {"StartFailed",
          "the model's command could not be started: " + *evidence.start_failed,
          {"check `command` and `args` of the inference config against the image",
           "a missing interpreter or another processor's binary gives the same message"},
          evidence.log_tail};
}

ProfileError StartTimedOut(const DeathEvidence& evidence) {
  if (evidence.thrashing) {
    return {"OutOfMemory",
            "the model was not ready in time: " + Sentence(*evidence.thrashing),
            {"allow more memory with --memory-gb (containerResourceRequirements.memoryInGb)",
             "allow more time with startTimeoutSeconds, if the disk is slow"},
            evidence.log_tail};
  }
  return {
      "StartTimedOut",
      "the model was not ready in time: " + *evidence.not_ready,
      {"check `port` and `readinessPath` of the inference config",
       "allow more time with startTimeoutSeconds", "see the model's own log: mlprof profile logs"},
      evidence.log_tail};
}

// An abort after an allocation that failed is one of memory, though the kernel killed nothing.
ProfileError Killed(const DeathEvidence& evidence) {
  const char* name = strsignal(*evidence.signal);
  ProfileError error = {
      "ModelCrashed",
      "the model was ended by signal " + std::to_string(*evidence.signal) + " (" + name + ")",
      {"see the model's own log: mlprof profile logs"},
      evidence.log_tail};
  error = WithFullHeap(std::move(error), evidence.log_tail, evidence.limits.memory());
  if (error.code == "ModelCrashed") error.message += "; the memory limit was not the cause";
  return error;
}

ProfileError Exited(const DeathEvidence& evidence) {
  ProfileError error{"ModelExited",
                     "the model's command ended with exit status " +
                         std::to_string(evidence.exit_code.value_or(0)),
                     {"see the model's own log: mlprof profile logs"},
                     evidence.log_tail};
  const auto logged = [&](const char* words) {
    return evidence.log_tail.find(words) != std::string::npos;
  };
  // A folder that belongs to the image's root refuses the model's uid in these words.
  if (MentionsReadOnlyFilesystem(evidence.log_tail) || logged("Permission denied")) {
    error.advice.insert(error.advice.begin(),
                        "name the folders it writes to in `writablePaths` of the inference config");
  }
  if (logged("Permission denied") || logged("Operation not permitted") || logged(" as root")) {
    error.advice.insert(
        error.advice.begin(),
        "a program that must be root needs `runAsRoot: true` in the inference config");
  }
  return error;
}

// The error with what a log's last words tell, before its own advice: they may be of something
// else.
ProfileError WithLastWords(const ProfileError& error, std::string_view log,
                           const std::optional<Bytes>& limit) {
  const auto failure =
      FindAllocationFailure(log.substr(log.size() - std::min(log.size(), kLastWords)));
  if (!failure) return error;
  ProfileError told = WithFailedAllocation(error, *failure, limit);
  told.advice.insert(told.advice.end(), error.advice.begin(), error.advice.end());
  return told;
}

// Workers that die of memory are started again and again, by a parent that never gets ready.
ProfileError StartedInVain(const DeathEvidence& evidence) {
  ProfileError error = StartTimedOut(evidence);
  if (evidence.thrashing) return error;
  return WithLastWords(error, evidence.log_tail, evidence.limits.memory());
}

// What servers answer where something was not caught (frameworks', and the Azure server's): it
// tells nothing.
bool IsPlain(const RowFailureEvidence& evidence) {
  constexpr int kInternalServerError = 500;
  constexpr std::array<std::string_view, 3> kWords = {
      "Internal Server Error", "nternal server error", "Check the logs for more info"};
  const std::string& body = evidence.first_body;
  if (evidence.first_status != kInternalServerError) return false;
  return body.empty() || std::ranges::any_of(kWords, [&](std::string_view words) {
           return body.find(words) != std::string::npos;
         });
}

ProfileError Diagnose(const DeathEvidence& evidence) {
  if (evidence.disk_full && evidence.disk_full->killed) return EndedByDisk(evidence);
  if (evidence.oom_kills > 0) return OutOfMemory(evidence);
  if (evidence.start_failed) return StartFailed(evidence);
  if (evidence.disk_full) {
    DeathEvidence own = evidence;
    own.disk_full.reset();
    return DiedOfDisk(Diagnose(own), *evidence.disk_full);
  }
  if (evidence.signal && *evidence.signal != 0) {
    return Killed(evidence);
  }
  if (evidence.exit_code) {
    return WithFullHeap(Exited(evidence), evidence.log_tail, evidence.limits.memory());
  }
  if (evidence.not_ready) return StartedInVain(evidence);
  return {"AgentLost",
          "the connection to the agent in the container broke and nothing says why",
          {"see the server's log, with Docker `docker events` too; then try again"},
          evidence.log_tail};
}

}  // namespace

std::string EvidenceOf(std::string_view log) {
  const std::string_view end = log.substr(log.size() - std::min(log.size(), kMostEvidence));
  // From the beginning of a line, where one begins.
  const std::size_t line = end.size() == log.size() ? std::string_view::npos : end.find('\n');
  return std::string(line == std::string_view::npos ? end : end.substr(line + 1));
}

ProfileError DiagnoseDeath(const DeathEvidence& evidence) {
  ProfileError error = Diagnose(evidence);
  error.evidence = EvidenceOf(error.evidence);
  return error;
}

ProfileError DiagnoseRows(const RowFailureEvidence& evidence) {
  std::string first = evidence.first_status != 0
                          ? "HTTP status " + std::to_string(evidence.first_status)
                          : "no response (" + evidence.first_failure + ")";
  if (evidence.first_status != 0 && !evidence.first_failure.empty()) {
    first += ", but no whole response (" + evidence.first_failure + ")";
  }
  ProfileError error = {"RowsFailed",
                        std::to_string(evidence.failures) + " of " +
                            std::to_string(evidence.requests) +
                            " requests failed; the first was row " +
                            std::to_string(evidence.first_row) + ": " + first,
                        {"send that row to the model yourself and mend the script or the row",
                         "errors are allowed up to a share with --max-error-rate"},
                        evidence.first_body};
  if (const auto& full = evidence.disk_full) {
    error.message += "; the model may lack disk: " + Clause(*full);
    error.advice.insert(error.advice.begin(), DiskAdvice(*full).begin(), DiskAdvice(*full).end());
    return error;
  }
  error = WithFullHeap(std::move(error), Unquoted(evidence.first_body), evidence.memory_limit);
  if (error.code != "RowsFailed" || !IsPlain(evidence)) return error;
  return WithLastWords(error, evidence.log_tail, evidence.memory_limit);
}

bool MentionsReadOnlyFilesystem(std::string_view log) {
  return log.find("Read-only file system") != std::string_view::npos ||
         log.find("EROFS") != std::string_view::npos;
}

}  // namespace mlprof::server
