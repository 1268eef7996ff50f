#include "tests/targets/target/lifetime.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace target {
namespace {

// Kept alive without a request for so long, a connection is cut. Chosen, not measured: a client in
// a closed loop sends its next request within it and is told then that the connection ends.
constexpr std::chrono::seconds kIdleConnection{1};

// Between two tries to wake the accepting thread, which may have been about to wait again.
constexpr std::chrono::milliseconds kWakeAgain{1};

int LeaveSignal() { return SIGRTMIN + 1; }

// Does nothing but end the system call that the accepting thread waits in.
void MakeWakeSignal() {
  struct sigaction wake {};
  wake.sa_handler = [](int) {};
  sigaction(SIGUSR1, &wake, nullptr);
}

}  // namespace

int RetireSignal() { return SIGRTMIN; }

void TellToLeave(pid_t worker) { kill(worker, LeaveSignal()); }

void BlockHandoverSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, RetireSignal());
  sigaddset(&signals, LeaveSignal());
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

Lifetime::Lifetime(int most) : most_(most) {
  if (most_ == 0) return;
  MakeWakeSignal();
  std::thread([this, accepting = pthread_self()] { AwaitReplacement(accepting); }).detach();
}

void Lifetime::AwaitReplacement(pthread_t accepting) {
  sigset_t leave;
  sigemptyset(&leave);
  sigaddset(&leave, LeaveSignal());
  int signal = 0;
  while (sigwait(&leave, &signal) != 0) {
  }
  leaving_ = true;
  for (; accepting_; std::this_thread::sleep_for(kWakeAgain)) pthread_kill(accepting, SIGUSR1);
}

void Lifetime::Opened() {
  const std::lock_guard lock(mutex_);
  ++open_;
}

void Lifetime::Closed() {
  const std::lock_guard lock(mutex_);
  --open_;
  changed_.notify_all();
}

void Lifetime::Began() {
  const std::lock_guard lock(mutex_);
  ++busy_;
}

void Lifetime::Answered() {
  const std::lock_guard lock(mutex_);
  --busy_;
  if (++answered_ == most_) kill(getppid(), RetireSignal());
  changed_.notify_all();
}

void Lifetime::Leave() {
  accepting_ = false;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kIdleConnection, [this] { return open_ == 0; });
  changed_.wait(lock, [this] { return busy_ == 0; });
  _exit(0);
}

}  // namespace target
