// An HTTP server whose needs are known exactly, for tests and benchmarks: what it costs stands in
// its arguments and in each request's body.
//
//   target_server [--port N] [--start-ms N] [--start-sleep-ms N] [--start-mib N]
//                 [--start-spike-mib N] [--start-spike-ms N] [--map-file PATH] [--map-share F]
//                 [--pool N|host] [--pool-spins] [--workers N] [--worker-mib N]
//                 [--worker-lazy-mib N] [--idle-workers N] [--first-idle] [--max-requests N]
//                 [--heap-share F] [--heap-live-mib N] [--cache-max-mib N] [--response-cache]
//                 [--in-order] [--close] [--needs-root]
//                 [--write-dir DIR]
//
//   --start-ms N         burns N ms of CPU before it listens
//   --start-sleep-ms N   waits N ms without CPU before it listens
//   --start-mib N        keeps N MiB from the start; workers share them
//   --start-spike-mib N  touches N MiB more while it starts, held for --start-spike-ms (100), freed
//   --map-file PATH      maps a file read-only (relative: in AZUREML_MODEL_DIR), reads all of it at
//                        the start and the first --map-share F (0 to 1, default 1) of it for each
//                        request
//   --pool N|host        shares each burn out to N threads; host: OMP_NUM_THREADS, else one a core
//   --pool-spins         the pool's threads wait on the CPU, as with OMP_WAIT_POLICY=active
//   --workers N          forks N workers that share the listening socket (no SO_REUSEPORT) and are
//                        blocked in accept(), so that the kernel gives them connections in turns,
//                        each any number at once; a dead one is replaced
//   --worker-mib N       keeps N MiB in every serving process
//   --worker-lazy-mib N  keeps N MiB in every serving process from its first request on
//   --idle-workers N     forks N that inherit the listening socket and never accept
//   --first-idle         a process serves one connection at a time, and each goes to the first idle
//                        one (EPOLLEXCLUSIVE): the others get none while that one is fast enough
//   --max-requests N     a worker (one, without --workers) is replaced after N requests and exits
//                        with 0; the new one is there, memory and all, before the old one leaves
//   --heap-share F       has a heap of this share of the container's memory limit, as a JVM has
//   --heap-live-mib N    so much of it is never garbage
//   --cache-max-mib N    what `cache` keeps in a process at most: the oldest body's goes
//   --response-cache     a body seen before is answered without its cost
//   --in-order           answers 500 where a body's word rowN has a lower N than the last one
//   --close              closes the connection after each response, and says so in it
//   --needs-root         refuses any uid but 0, hands a folder to uid 101 and serves as 101
//   --write-dir DIR      writes DIR/started before it listens, and fails without it
//
// A body is words, done in order. What it costs (numbers may have a fraction):
//   burn=MS (thread CPU time), first=MS (as burn, but only when a process sees a body for the first
//   time), sleep=MS, alloc=MIB (touched, then freed), spike=MIB:MS (touched, held so long, freed),
//   keep=MIB (touched, kept), leak=KIB (of the heap, never freed), cache=KIB (as leak, but once for
//   each different body), heap=MIB (garbage in the heap, which is
//   collected when it is full; 500 where it does not fit), write (appends to DIR/rows), fork=N
//   (children that sleep as long as the container lives)
// How it is answered:
//   status=CODE, big=MIB (a body of that size), stream=MS:N (N chunks, one every MS; without N for
//   ever), garbage (no HTTP), close (no response), half (half a response, then it dies), hang
//   (never), die (SIGABRT), segv
// Other words do nothing. The response repeats the CPU time that its thread spent, and the process.
// GET answers 200.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/targets/target/cost.h"
#include "tests/targets/target/options.h"
#include "tests/targets/target/serve.h"
#include "tests/targets/target/workers.h"

namespace {

constexpr uid_t kServingUid = 101;

void Start(const target::Options& options) {
  target::Burn(std::chrono::milliseconds(options.start_ms));
  std::this_thread::sleep_for(std::chrono::milliseconds(options.start_sleep_ms));
  target::Keep(target::Mebibytes(options.start_mib));
  if (options.start_spike_mib > 0) {
    const target::Touched spike(target::Mebibytes(options.start_spike_mib));
    std::this_thread::sleep_for(std::chrono::milliseconds(options.start_spike_ms));
  }
  if (!options.write_dir.empty() && !target::Append(options.write_dir + "/started", "started\n")) {
    target::Refuse("cannot write to " + options.write_dir);
  }
}

/// What an image like nginx's does: a folder for the serving user, then away from root.
void BecomeServingUser() {
  if (getuid() != 0) {
    std::fprintf(stderr, "target_server: must be started as root, not as uid %u\n", getuid());
    std::exit(1);
  }
  mkdir("/tmp/target", 0700);
  if (chown("/tmp/target", kServingUid, kServingUid) != 0) target::Refuse("chown /tmp/target");
  if (setgid(kServingUid) != 0 || setuid(kServingUid) != 0) target::Refuse("setuid");
}

}  // namespace

int main(int argc, char** argv) {
  const target::Options options = target::ParseOptions(argc, argv);
  std::signal(SIGTERM, [](int) { _exit(0); });
  Start(options);
  const int listener = target::Listen(options);
  if (options.needs_root) BecomeServingUser();
  target::StartIdleWorkers(options.idle_workers);
  if (options.workers > 0) target::Supervise(listener, options);
  target::AcceptForEver(listener, options);
}
