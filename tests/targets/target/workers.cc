#include "tests/targets/target/workers.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "tests/targets/target/lifetime.h"
#include "tests/targets/target/serve.h"

namespace target {
namespace {

pid_t Fork() {
  const pid_t child = fork();
  if (child < 0) Refuse("fork");
  // No worker outlives its supervisor, however that ends.
  if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return child;
}

class Supervisor {
 public:
  Supervisor(int listener, const Options& options) : listener_(listener), options_(options) {}

  void Start(pid_t replaced) {
    const pid_t child = Fork();
    if (child == 0) AcceptForEver(listener_, options_, replaced);
    serving_[child] = replaced;
  }

  /// It is replaced now, and not once more when it ends.
  void Retire(pid_t worker) {
    if (serving_.erase(worker) > 0) Start(worker);
  }

  void Reap() {
    for (pid_t dead = 0; (dead = waitpid(-1, nullptr, WNOHANG)) > 0;) {
      for (auto& [worker, replaced] : serving_) {
        if (replaced == dead) replaced = 0;
      }
      const auto worker = serving_.find(dead);
      if (worker == serving_.end()) continue;
      // It may have died before it served: whom it was to replace serves on.
      const pid_t replaced = worker->second;
      serving_.erase(worker);
      Start(replaced);
    }
  }

 private:
  const int listener_;
  const Options& options_;
  std::map<pid_t, pid_t> serving_;  // and whom each was started to replace, 0: nobody
};

}  // namespace

void StartIdleWorkers(int count) {
  for (int i = 0; i < count; ++i) {
    if (Fork() != 0) continue;
    while (true) pause();
  }
}

void Supervise(int listener, const Options& options) {
  BlockHandoverSignals();
  Supervisor supervisor(listener, options);
  for (int i = 0; i < options.workers; ++i) supervisor.Start(0);
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, RetireSignal());
  for (siginfo_t what{};;) {
    const int signal = sigwaitinfo(&awaited, &what);
    if (signal == RetireSignal()) supervisor.Retire(what.si_pid);
    if (signal == SIGCHLD) supervisor.Reap();
  }
}

}  // namespace target
