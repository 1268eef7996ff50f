#include "server/app/lifetime.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <ctime>
#include <string>
#include <utility>

#include "common/log/log.h"
#include "common/os/start_thread.h"

namespace mlprof::server {
namespace {

constexpr long kPollNanoseconds = 500'000'000;

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

// The file's users hold shared locks; they take theirs before they start the server.
bool Unused(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return true;  // its folder was removed: whoever used it is done
  const bool unused = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return unused;
}

}  // namespace

void BlockStopSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void WaitForEnd(const std::optional<std::filesystem::path>& unused_file) {
  const sigset_t set = StopSignals();
  const timespec poll{0, kPollNanoseconds};
  for (;;) {
    const int signal = sigtimedwait(&set, nullptr, &poll);
    if (signal > 0) {
      LogInfo("stopping", {{"signal", signal}});
      break;
    }
    if (unused_file && Unused(*unused_file)) {
      LogInfo("stopping, nobody uses this server any more");
      break;
    }
  }
  for (const int again : {SIGTERM, SIGINT, SIGHUP}) std::signal(again, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

StopLimit::StopLimit(std::chrono::seconds limit) : end_(Clock::now() + limit) {
  // The kernel's alarm, a second after the limit: it needs no thread, no memory and no room in the
  // log to end what is left.
  ::signal(SIGALRM, SIG_DFL);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  ::pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
  ::alarm(static_cast<unsigned>(limit.count()) + 1);
  auto thread = StartThread("stop limit", [this](const std::stop_token& stop) { Watch(stop); });
  if (thread) thread_ = *std::move(thread);
}

StopLimit::~StopLimit() {
  Enter("", std::chrono::seconds(0));
  thread_ = {};
  ::alarm(0);
}

void StopLimit::Enter(const char* step, std::chrono::seconds plan) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (*step_ != '\0' && now - began_ > plan_) {
    const std::chrono::duration<double> took = now - began_;
    LogWarn("stopping took longer than planned",
            {{"step", step_}, {"seconds", took.count()}, {"planned", plan_.count()}});
  }
  step_ = step;
  plan_ = plan;
  began_ = now;
}

void StopLimit::Watch(const std::stop_token& stop) const {
  std::condition_variable_any wake;
  std::unique_lock lock(mutex_);
  wake.wait_until(lock, stop, end_, [] { return false; });
  if (stop.stop_requested()) return;
  LogError(
      "stopping did not end in time; the process ends now, the next start goes on from what "
      "is committed",
      {{"step", step_}});
  FlushLog();
  ::_exit(1);
}

}  // namespace mlprof::server
