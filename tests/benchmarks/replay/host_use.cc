#include "tests/benchmarks/replay/host_use.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "common/time/monotonic_clock.h"

namespace mlprof::server::bench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

HostUse ReadHostUse() {
  std::ifstream stat("/proc/stat");
  std::string name;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double iowait = 0;
  double irq = 0;
  double softirq = 0;
  double steal = 0;
  stat >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  if (!stat) throw std::runtime_error("/proc/stat cannot be read");
  HostUse use;
  use.at = MonotonicClock::System().Now();
  use.busy_seconds =
      (user + nice + system + irq + softirq + steal) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  use.own_seconds = Seconds(own.ru_utime) + Seconds(own.ru_stime);
  return use;
}

double ForeignCores(const HostUse& before, const HostUse& after, double contestants_seconds) {
  const double elapsed = std::chrono::duration<double>(after.at - before.at).count();
  return (after.busy_seconds - before.busy_seconds - (after.own_seconds - before.own_seconds) -
          contestants_seconds) /
         elapsed;
}

}  // namespace mlprof::server::bench
