#include "server/app/lifetime.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "common/log/log.h"

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

}  // namespace mlprof::server
