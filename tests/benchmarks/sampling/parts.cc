#include "tests/benchmarks/sampling/parts.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "agent/sampling/high_water.h"
#include "agent/sampling/proc.h"
#include "agent/sampling/sampler.h"
#include "common/cgroup/cgroup_location.h"

namespace mlprof::server::bench {
namespace {

using namespace std::chrono_literals;
using agent::Clock;

agent::EventLoop OpenLoop() {
  auto loop = agent::EventLoop::Open();
  if (!loop) throw std::runtime_error(loop.error().message());
  return *std::move(loop);
}

// A process that does nothing, as the model.
class IdleChild {
 public:
  IdleChild() : pid_(::fork()) {
    if (pid_ != 0) return;
    while (true) ::pause();
  }
  IdleChild(const IdleChild&) = delete;
  IdleChild& operator=(const IdleChild&) = delete;
  ~IdleChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  agent::HighWater::List AsList() const {
    return [pid = pid_] { return std::set<pid_t>{pid}; };
  }

 private:
  pid_t pid_;
};

template <class Work>
double MicrosecondsOf(int times, Work work) {
  const auto before = agent::OwnCpuTime();
  for (int i = 0; i < times; ++i) work();
  const std::chrono::duration<double, std::micro> used = agent::OwnCpuTime() - before;
  return used.count() / times;
}

}  // namespace

double IdleLoopCpuPercent(std::chrono::milliseconds time) {
  agent::EventLoop loop = OpenLoop();
  auto next = Clock::now();
  const auto end = next + time;
  std::function<void()> tick = [&] {
    next += 10ms;
    if (next > end) return loop.Stop();
    loop.At(next, tick);
  };
  const auto before = agent::OwnCpuTime();
  tick();
  loop.Run([] {});
  const std::chrono::duration<double> used = agent::OwnCpuTime() - before;
  return used.count() / std::chrono::duration<double>(time).count() * 100;
}

double WarmSampleMicroseconds() {
  const IdleChild child;
  agent::EventLoop loop = OpenLoop();
  const auto cgroup = agent::OpenCgroup(LocateCgroup(agent::ReadWholeFile("/proc/self/cgroup"),
                                                     agent::ReadWholeFile("/proc/self/mountinfo")));
  const agent::ProcReader proc;
  agent::HighWater high_water(child.AsList());
  agent::RunQueue run_queue(child.AsList());
  agent::Sampler sampler(loop, *cgroup, proc, high_water, run_queue);
  return MicrosecondsOf(5000, [&] { sampler.Take(); });
}

double RowReadingMicroseconds() {
  const IdleChild child;
  agent::HighWater high_water(child.AsList());
  return MicrosecondsOf(5000, [&] {
    high_water.BeginRow();
    high_water.EndRow();
  });
}

}  // namespace mlprof::server::bench
