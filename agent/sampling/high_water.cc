#include "agent/sampling/high_water.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "agent/sampling/proc.h"

namespace mlprof::agent {
namespace {

constexpr Bytes kNone(0);

Bytes Beyond(Bytes level, Bytes base) { return std::max(kNone, level - base); }

}  // namespace

void HighWater::FollowList() {
  if (!births_.Any() && Complete()) return;
  for (const pid_t pid : list_()) {
    const auto known = processes_.find(pid);
    if (known == processes_.end()) {
      processes_.emplace(pid, Process{KeptFile("/proc/" + std::to_string(pid) + "/status"),
                                      OpenAsProcess(pid, "clear_refs", O_WRONLY)});
    } else if (!known->second.clear_refs) {
      known->second.clear_refs = OpenAsProcess(pid, "clear_refs", O_WRONLY);
    }
  }
}

bool HighWater::ReadStatus(Process& process) {
  const auto text = process.status.Read();
  if (!text || text->empty()) return false;
  const auto status = ParseProcessStatus(*text);
  process.has_memory = status.has_value();
  if (!status) return true;
  process.now = *status;
  for (Span* span : {&process.stretch, &process.row}) {
    span->high = std::max(span->high, status->high_water);
  }
  return true;
}

// The list of processes is read before their memory. One that has taken a dead one's id since is
// seen as the dead one's end now, and found by the next reading.
void HighWater::ReadAll() {
  FollowList();
  for (auto it = processes_.begin(); it != processes_.end();) {
    it = ReadStatus(it->second) ? std::next(it) : processes_.erase(it);
  }
}

bool HighWater::Complete() const {
  return std::all_of(processes_.begin(), processes_.end(), [](const auto& entry) {
    return !entry.second.has_memory || entry.second.clear_refs;
  });
}

// Marks are reset only after all have been read: a parent and its child between vfork and execve
// share one mark. A mark at the present level need not be reset.
void HighWater::Restart(Span Process::*span) {
  for (auto& [pid, process] : processes_) {
    if (!process.has_memory) continue;
    process.*span = Span{process.now, process.now.resident};
    if (process.now.high_water <= process.now.resident) continue;
    [[maybe_unused]] const ssize_t n = ::write(process.clear_refs.get(), "5", 1);
  }
}

std::optional<HighWater::Rise> HighWater::Read() {
  ReadAll();
  if (!Complete()) return std::nullopt;
  Rise rise;
  for (const auto& [pid, process] : processes_) {
    if (!process.has_memory) continue;
    const Span& span = process.stretch;
    const Bytes file_gone = span.begin ? Beyond(span.begin->file, process.now.file) : kNone;
    const Bytes own = Beyond(span.high - process.now.resident, file_gone);
    rise.largest = std::max(rise.largest, own);
    rise.sum += own;
    rise.resident += process.now.resident;
    rise.file = std::max(rise.file, process.now.file);
  }
  return rise;
}

void HighWater::BeginStretch() { Restart(&Process::stretch); }

void HighWater::BeginRow() {
  for (auto& [pid, process] : processes_) process.row = {};
  ReadAll();
  Restart(&Process::row);
}

std::optional<Bytes> HighWater::EndRow() {
  ReadAll();
  if (!Complete()) return std::nullopt;
  Bytes largest;
  for (const auto& [pid, process] : processes_) {
    if (!process.has_memory) continue;
    const ProcessStatus& begin = process.row.begin.value_or(process.now);
    const Bytes file_gained = Beyond(process.now.file, begin.file);
    largest = std::max(largest, Beyond(process.row.high - begin.resident, file_gained));
  }
  return largest;
}

}  // namespace mlprof::agent
