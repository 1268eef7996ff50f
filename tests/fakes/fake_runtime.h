// A runtime without containers, for logic: a model of known need answers on a thread of its own.
// Its rows take the time of a clock that only they move, so that a profile of minutes runs in no
// time and its figures do not depend on the machine. It can be told to fail.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/write_error.h"
#include "common/time/monotonic_clock.h"
#include "server/runtime/runtime.h"
#include "tests/fakes/fake_port.h"

namespace mlprof::server {

class FakeClock final : public MonotonicClock {
 public:
  std::chrono::nanoseconds Now() const override { return std::chrono::nanoseconds(now_.load()); }
  void Pass(std::chrono::nanoseconds time) { now_ += time.count(); }

  /// Waits for what was begun before, then lets the rest of the time pass at once: a row that is
  /// being answered always comes before what is due later.
  void SleepUntil(std::chrono::nanoseconds when) const override;
  /// Around work that takes time of this clock on another thread.
  void BeginWork();
  void EndWork();

 private:
  mutable std::atomic<std::int64_t> now_ = 1'000'000'000;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  int works_ = 0;
};

/// What the imitated model needs and does. Set before a profile runs.
struct FakeModel {
  std::filesystem::path root = {};  // of its container, as it is seen from here
  std::chrono::microseconds cpu_per_row{2000};
  /// Worked after a row's response; under load it falls into the time of the next row.
  std::chrono::microseconds cpu_after_row{0};
  /// Slept with every row, beside its CPU time.
  std::chrono::microseconds sleep_per_row{0};
  /// Likewise, asked with every row.
  std::function<std::chrono::microseconds()> sleeps_more = [] {
    return std::chrono::microseconds(0);
  };
  /// CPU time that a row takes besides, by its body.
  std::function<std::chrono::microseconds(const std::string& row)> cpu_of_row =
      [](const std::string&) { return std::chrono::microseconds(0); };
  /// CPU time that the first visit of a row takes besides.
  std::chrono::microseconds first_visit_cpu{0};
  /// A runtime that compiles as it runs: so much more for the first row of a process, less for each
  /// one after it, nothing from the `compiled_after`th on.
  std::chrono::microseconds compiling{0};
  int compiled_after = 1;
  /// Rows that were answered before take no time worth speaking of.
  bool caches_responses = false;
  /// Kept for every distinct row.
  Bytes kept_per_row;
  /// A row has 500 unless it comes after the one before it in the dataset ("row 3" after "row 2"),
  /// or is the first.
  bool wants_order = false;
  /// A row has 500 once a later one of the dataset was served: only a first pass in order succeeds.
  bool never_goes_back = false;
  /// Other work keeps each row from its core for so long; a quota that stops it more hides that.
  std::chrono::microseconds held_up{0};
  /// Until it is ready at full speed; the part that it computes, on one thread, a quota below one
  /// core stretches.
  std::chrono::milliseconds start_time{5};
  std::chrono::milliseconds start_cpu{3};
  Bytes start_peak = MiB(100);
  Bytes serving_peak = MiB(200);
  Bytes leak_per_row;
  /// A container leaks no more after so many rows.
  std::int64_t leaking_rows = std::numeric_limits<std::int64_t>::max();
  /// Rises above serving_peak while the row is served; lower limits kill, as the kernel does.
  std::function<Bytes(const std::string& row)> rise = [](const std::string&) { return Bytes(); };
  /// Held for each row that waits while another is served.
  Bytes per_waiting_row;
  /// A row that comes while so many others wait is never answered; five seconds pass meanwhile.
  int most_waiting = 1 << 20;
  /// A runtime whose heap may grow to this share of the memory limit, beside serving_peak: each row
  /// leaves garbage in it, and only what a full heap holds is collected. A row that does not fit
  /// has 500.
  double heap_share = 0;
  Bytes heap_live;
  Bytes garbage_per_row = MiB(10);
  std::chrono::microseconds collection{0};  // CPU time of the row that fills it
  std::string full_heap_words = "java.lang.OutOfMemoryError: Java heap space";  // of such a 500
  bool reserves_heap = false;  // it has address space for the whole of it when it is ready
  /// File pages it reads with every row; under a limit that does not hold them, rows take ten times
  /// as long.
  Bytes hot_file;
  /// File pages it reads now and then; under a limit that does not hold them five are read back
  /// with every row, which take no time worth speaking of.
  Bytes rare_file;
  Bytes cold_file;  // mapped beside it, and not read again
  /// Mapped too, and charged to another container.
  Bytes files_of_others = {};
  /// With less memory no row is answered: it reads 20,000 file pages back a second.
  Bytes stuck_below;
  /// File pages read back with every row under any limit, which take no time worth speaking of.
  std::int64_t pages_read_back = 0;
  int threads = 1;
  bool obeys_openmp = false;  // OMP_NUM_THREADS in place of `threads`
  /// It starts with one for each core of its CPU limit, in place of `threads`.
  bool thread_a_core = false;
  /// Of a row's CPU time, what its threads share: with more than one core it is served so much
  /// faster, by at most `threads`.
  double parallel_share = 0;
  /// Status for a row; a status of 0 kills the model, `resets_first` after the row's connection
  /// broke; one below 0 breaks the connection and kills nothing.
  bool resets_first = false;
  std::function<int(const std::string& row)> status = [](const std::string&) { return 200; };
  /// CPU time that a row takes besides where it has more than one core: its threads fight for what
  /// they share.
  std::chrono::microseconds contention{0};
  /// Under a smaller limit every second row is turned away at once.
  Cores sheds_below;
  /// Rows that fail take no CPU time.
  bool fails_for_nothing = false;
  /// Workers serve: what would kill the model kills one of them, and another takes its place. As
  /// with the real agent the word of it comes late, and never of one that had stood for a moment
  /// only.
  bool forks = false;
  /// With `forks`, where memory is short of start_peak: so many kills, then nothing more is heard.
  int start_kills = 2;
  /// With `forks`: from here on the model gets ready although start_peak kills one worker.
  std::optional<Bytes> first_worker_peak;
  /// With `forks`: a worker that loads once the model is ready is killed where memory is short of
  /// it.
  Bytes late_worker_peak;
  /// Processes that serve beside a master that does not; 1: the model is one process. Over a
  /// connection that is kept alive, and one by one, the first has all rows; over connections that
  /// are held together each of the first `workers_reached` in turn.
  int workers = 1;
  int workers_reached = 1 << 20;
  Bytes worker_load;  // that each holds from its first row on
  /// With `workers`: each ends after so many rows, and another takes its place; nothing breaks.
  std::optional<int> rows_of_a_worker;
  /// The bound of the disk that it was killed for where it died.
  std::optional<DiskFull> killed_for_disk;
  std::string start_failure;  // not "": the command cannot be started
  /// Told the variables it is started with; false: it ends with exit code 1 at once.
  std::function<bool(const std::map<std::string, std::string>&)> begins = [](const auto&) {
    return true;
  };
  std::string log = "model log\n";
  /// The first reading of it finds nothing yet.
  bool log_comes_late = false;
  /// What it writes at its start. It dies of the first whose folder it may not write to, with the
  /// words of a read-only file system, and an agent that watches tells of it.
  std::vector<RefusedWrite> writes;
  /// It dies with those words, whatever it may write to.
  bool says_read_only = false;
  bool cannot_be_watched = false;
  /// What it says then.
  std::string last_words = "open /data/x: Read-only file system\n";
  /// Refused to it just as well, which an agent that watches tells last; it goes on without.
  std::vector<RefusedWrite> shrugged_off;
  /// While it is watched it ends so before it writes.
  std::optional<int> exit_code_watched;
  /// What listens beside the rows' port once it is ready.
  std::map<int, FakeServer> ports;
  /// While true, rows are never answered.
  std::shared_ptr<std::atomic<bool>> silent = std::make_shared<std::atomic<bool>>(false);
};

/// What ends a container where others fill the host's disk.
inline DiskFull KilledForDisk() {
  DiskFull full;
  full.place = DiskFull::Place::kHost;
  full.killed = true;
  full.host_folder = "/data";
  return full;
}

class FakeTarget;

class FakeRuntime final : public Runtime {
  friend class FakeTarget;

 public:
  explicit FakeRuntime(FakeModel model = {}) : model_(std::move(model)) {}

  std::string name() const override { return "docker"; }
  RuntimeWords words() const override {
    return {"the imitated engine", "went away", "start it", "see its log", "see it", "see to it"};
  }
  Result<HostFacts> Host(Deadline deadline, std::stop_token stop) override;
  Status Check(Deadline deadline, std::stop_token stop) override;
  Result<PreparedImage> Prepare(const PrepareRequest& request, const PrepareOutput& output,
                                std::stop_token stop, Deadline deadline) override;
  Result<std::unique_ptr<Target>> Launch(const LaunchRequest& request, std::stop_token stop,
                                         Deadline deadline) override;
  Result<std::vector<KeptImage>> KeptImages(const std::vector<PrepareRequest>& waiting,
                                            Deadline deadline, std::stop_token stop) override;
  Status RemoveImage(const KeptImage& image, Deadline deadline, std::stop_token stop) override;
  Result<int> RemoveOrphans(Deadline deadline, std::stop_token stop) override;

  /// One more that this installation keeps; all are needed while any request waits.
  void Keep(const KeptImage& image);

  /// The next Prepare, Launch or Check fails so.
  void FailNextPrepare(Error error);
  void FailNextLaunch(Error error);
  /// The next Prepare throws, as a third party may.
  void ThrowInNextPrepare() { throw_ = true; }
  /// Called by every Prepare.
  std::function<void(std::stop_token)> on_prepare;
  /// What containers say of the machine they run on; unless told, what Host() says. Set before a
  /// profile runs, as is the next.
  std::optional<HostFacts> container_host;
  /// Whether the memory limit of a running container can be raised.
  bool raises_memory = true;
  /// What they say of its load; unless told, nothing else runs there.
  HostLoadReader host_load;
  /// Like an engine that is not there: every call fails at once.
  void SetUnavailable(bool unavailable) { unavailable_ = unavailable; }
  /// Like an engine that does not answer: every call waits for its deadline, or until it is
  /// stopped.
  void SetHanging(bool hanging) { hanging_ = hanging; }
  /// As where the engine restarts without keeping its containers: all of them end, which it tells
  /// as killed for memory, and their agents are lost without a word.
  void EndContainersByRestart();
  /// All agents are lost without a word, by an engine that is well.
  void LoseAgents();
  /// All containers are told to end from outside, and their models do, or drain, by an engine that
  /// says nothing of it.
  void TellContainersToEnd(bool drain = false);
  /// What was launched so far.
  std::vector<LaunchRequest> launches() const;
  /// What each of them might have taken.
  std::vector<std::chrono::nanoseconds> launch_limits() const;
  /// The CPU limit that was set last, at a launch or in place.
  Cores cpu_in_force() const { return Cores(cpu_in_force_); }
  /// How many containers had been launched when one's memory was raised in place; nullopt: none
  /// was.
  std::optional<std::size_t> raised_at() const;
  const MonotonicClock& clock() const { return clock_; }
  /// Of the host; 2 unless told.
  void SetCores(int cores) { cores_ = cores; }
  /// Like a machine on which nothing can be limited.
  void HoldNoLimits() { limits_hold_ = false; }
  void PassTime(std::chrono::nanoseconds time) { clock_.Pass(time); }
  int running() const { return *running_; }
  int checks() const { return checks_; }

 private:
  HostFacts Facts() const;
  HostLoad QuietLoad() const;
  Status Respond(Deadline deadline, const std::stop_token& stop = {}) const;

  FakeModel model_;
  FakeClock clock_;
  mutable std::mutex mutex_;
  std::vector<LaunchRequest> launches_;
  std::vector<std::chrono::nanoseconds> launch_limits_;
  std::optional<std::size_t> raised_at_;
  std::optional<Error> prepare_failure_;
  std::optional<Error> launch_failure_;
  std::atomic<int> cores_ = 2;
  std::atomic<double> cpu_in_force_ = 0;
  std::atomic<bool> limits_hold_ = true;
  std::atomic<bool> unavailable_ = false;
  std::atomic<bool> hanging_ = false;
  std::atomic<bool> throw_ = false;
  std::atomic<int> checks_ = 0;
  std::vector<FakeTarget*> targets_;
  std::vector<KeptImage> images_;
  std::shared_ptr<std::atomic<int>> running_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace mlprof::server
