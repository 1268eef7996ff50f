#include "client/cli/watch/interrupts.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "common/os/start_thread.h"

namespace mlprof::client::cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// A handler can reach nothing but globals.
std::array<int, 2> g_pipe = {-1, -1};
std::array<struct sigaction, kSignals.size()> g_before;

void OnSignal(int) {
  const int saved = errno;
  [[maybe_unused]] const ssize_t ignored = write(g_pipe[1], "i", 1);
  errno = saved;
}

void ClosePipe() {
  for (int& end : g_pipe) close(std::exchange(end, -1));
}

}  // namespace

SignalWatch::SignalWatch(std::function<void()> on_interrupt) {
  if (pipe2(g_pipe.data(), O_CLOEXEC) != 0) return;
  auto thread = StartThread("interrupts", [on_interrupt = std::move(on_interrupt)](const auto&) {
    char kind = 0;
    while (true) {
      const ssize_t count = read(g_pipe[0], &kind, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count != 1 || kind != 'i') return;
      on_interrupt();
    }
  });
  if (!thread) {
    ClosePipe();
    return;
  }
  thread_ = *std::move(thread);
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals.at(i), nullptr, &g_before.at(i));
    // What is ignored from the start (nohup) stays ignored.
    if (g_before.at(i).sa_handler != SIG_IGN) sigaction(kSignals.at(i), &action, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (!thread_.joinable()) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals.at(i), &g_before.at(i), nullptr);
  }
  [[maybe_unused]] const ssize_t ignored = write(g_pipe[1], "q", 1);
  thread_.join();
  ClosePipe();
}

bool ReplyOnStdin(std::stop_token stop) {
  std::string line;
  while (!stop.stop_requested()) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    constexpr int kLookForStopMs = 100;
    if (poll(&ready, 1, kLookForStopMs) <= 0) continue;
    char c = 0;
    if (read(STDIN_FILENO, &c, 1) != 1) return false;
    if (c == '\n') return line == "y" || line == "Y" || line == "yes";
    line += c;
  }
  return false;
}

}  // namespace mlprof::client::cli
