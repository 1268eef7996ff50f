#include "agent/supervise/write_watch.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>

#include "agent/supervise/write_calls.h"

namespace mlprof::agent {
namespace {

using CallInfo = __ptrace_syscall_info;

constexpr long kOptions = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD |
                          PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                          PTRACE_O_TRACECLONE;
constexpr int kCallStop = SIGTRAP | 0x80;  // how PTRACE_O_TRACESYSGOOD marks a stop at a call
// As many as a profile is given folders for, one after another (docs/decisions, 24).
constexpr std::size_t kMostKept = 4;

// Errors are left aside: a process that has ended meanwhile is told by waitpid.
void GoOn(__ptrace_request how, pid_t pid, int signal) {
  ::ptrace(how, pid, nullptr, static_cast<long>(signal));
}

std::optional<CallInfo> Info(pid_t pid) {
  CallInfo info{};
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0) return std::nullopt;
  return info;
}

// Up to its NUL; "" where it cannot be read.
std::string ReadText(pid_t pid, std::uint64_t address) {
  std::string text;
  while (text.size() < PATH_MAX) {
    errno = 0;
    const long word = ::ptrace(PTRACE_PEEKDATA, pid, address + text.size(), nullptr);
    if (errno != 0) return "";
    char bytes[sizeof(word)];
    std::memcpy(bytes, &word, sizeof(word));
    const char* const end = std::find(bytes, bytes + sizeof(word), '\0');
    text.append(bytes, static_cast<std::size_t>(end - bytes));
    if (end != bytes + sizeof(word)) return text;
  }
  return "";
}

}  // namespace

Status LetWritesBeWatched() {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
    return Fail(FromErrno(errno, "its writes cannot be watched"));
  }
  ::raise(SIGSTOP);
  return StopAtWriteCalls();
}

Status WriteWatch::Begin(pid_t pid) {
  if (::ptrace(PTRACE_SETOPTIONS, pid, nullptr, kOptions) == 0 && Info(pid)) return {};
  return Fail(FromErrno(errno, "its writes cannot be watched"));
}

Status WriteWatch::OnStop(pid_t pid, int status) {
  const int signal = WSTOPSIG(status);
  const int event = status >> 16;
  if (known_.empty()) MLPROF_TRY(Begin(pid));
  const bool begins = known_.insert(pid).second && signal == SIGSTOP;
  if (event == PTRACE_EVENT_SECCOMP) {
    NoteCall(pid);
    GoOn(PTRACE_SYSCALL, pid, 0);
  } else if (signal == kCallStop) {
    NoteResult(pid);
    GoOn(PTRACE_CONT, pid, 0);
  } else {
    GoOn(PTRACE_CONT, pid, event != 0 || begins ? 0 : signal);
  }
  return {};
}

void WriteWatch::Forget(pid_t pid) {
  known_.erase(pid);
  calls_.erase(pid);
}

void WriteWatch::NoteCall(pid_t pid) {
  const auto info = Info(pid);
  if (!info || info->op != PTRACE_SYSCALL_INFO_SECCOMP) return;
  const WriteCall* const what = FindWriteCall(info->seccomp.nr);
  if (what == nullptr) return;
  Call call{what, {}};
  std::copy(std::begin(info->seccomp.args), std::end(info->seccomp.args), call.arguments.begin());
  calls_.insert_or_assign(pid, call);
}

void WriteWatch::NoteResult(pid_t pid) {
  const auto call = calls_.extract(pid);
  const auto info = Info(pid);
  if (!call || !info || info->op != PTRACE_SYSCALL_INFO_EXIT || info->exit.rval != -EROFS) return;
  const auto* const what = call.mapped().what;
  const auto at = [&](int index) {
    return call.mapped().arguments[static_cast<std::size_t>(index)];
  };
  const int from = what->from < 0 ? AT_FDCWD : static_cast<int>(at(what->from));
  auto refused = FindRefused(
      pid, from, ReadText(pid, at(what->path) + static_cast<std::uint64_t>(what->offset)),
      what->kind);
  if (!refused) return;
  const int weight = refused->folder.empty() ? 0 : what->kind == WriteKind::kRemoval ? 1 : 2;
  Keep({*std::move(refused), weight});
}

// Ordered by weight, each path once.
void WriteWatch::Keep(Refusal refusal) {
  std::erase_if(refused_, [&](const Refusal& one) { return one.write == refusal.write; });
  const auto later = std::find_if(refused_.begin(), refused_.end(),
                                  [&](const Refusal& one) { return one.weight > refusal.weight; });
  refused_.insert(later, std::move(refusal));
  if (refused_.size() > kMostKept) refused_.erase(refused_.begin());
}

std::vector<RefusedWrite> WriteWatch::refused() const {
  std::vector<RefusedWrite> writes;
  for (const Refusal& one : refused_) writes.push_back(one.write);
  return writes;
}

}  // namespace mlprof::agent
