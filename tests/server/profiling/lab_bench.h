// A lab over the imitated runtime, its clock and a journal in memory: one phase can be tried with
// values, without a database or a queue.
#pragma once

#include <string>
#include <utility>

#include "server/profiling/lab/agent_instrument.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/reference.h"
#include "tests/fakes/fake_journal.h"
#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {

class LabBench {
 public:
  static constexpr Limits kCeiling{Cores(2.0), GiB(4)};

  explicit LabBench(FakeModel model = {}, int rows_count = 20, const Limits& ceiling = kCeiling,
                    std::chrono::seconds budget_time = std::chrono::seconds(300))
      : runtime(std::move(model)),
        budget(runtime.clock(), budget_time),
        ceiling_(ceiling),
        rows_(Numbered(rows_count)) {
    workload.rows = rows_.count();
    budget.Begin();
  }

  static Subject ASubject(const Limits& ceiling = kCeiling) {
    Subject subject;
    subject.profile_id = "p";
    ImageConfig image;
    image.image = "imitation";
    subject.config.service = image;
    subject.ceiling = ceiling;
    subject.host.cores = 2;
    subject.host_memory = GiB(4);
    if (ceiling.device_memory()) subject.devices = {"GPU-1"};
    return subject;
  }

  /// As after the phases in the ample container: at full speed a row took `p95_ms`.
  phases::Yardstick MeasuredAt(double p95_ms) const {
    phases::Reference reference;
    reference.p95_ms = p95_ms;
    return {setup, workload, reference, {1, 1, p95_ms}};
  }

  /// As above, with a look that tells what a request took of the CPU.
  phases::Yardstick MeasuredAt(double p95_ms, double cpu_ms) const {
    phases::Yardstick yardstick = MeasuredAt(p95_ms);
    Look look;
    for (std::uint32_t i = 0; i < 100; ++i) {
      look.visits.push_back({i % 20, static_cast<std::uint32_t>(1000 * p95_ms)});
    }
    look.requests_per_second = 1000 / p95_ms;
    look.cpu_seconds_per_query = cpu_ms / 1000;
    yardstick.reference = phases::WithLook(yardstick.reference, look);
    return yardstick;
  }

  FakeRuntime runtime;
  FakeJournal journal;
  FakeAnnouncer announcer;
  RunStop run_stop;
  Budget budget;
  HostWatch host;
  Setup setup{Cpuset::Whole(2), {}, {}};
  Workload workload{{}, 1, 0, {}};
  std::vector<InstrumentKind> instruments = {AgentInstrument::Kind()};

 private:
  static Rows Numbered(int count) {
    Rows rows;
    for (int i = 0; i < count; ++i) rows.push_back("row " + std::to_string(i));
    return rows;
  }

  Profile profile_;
  PhaseTracker tracker_{profile_, journal, announcer};
  const Limits ceiling_;
  const HeldRows rows_;

 public:
  Lab lab{{runtime, rows_, budget, host, journal, announcer, tracker_, run_stop, {}, instruments},
          ASubject(ceiling_)};
};

}  // namespace mlprof::server
