// What the phases of a run share, with nothing running: for what a phase notes and says.
#pragma once

#include <memory>
#include <stop_token>
#include <utility>

#include "server/metrics/controller_metrics.h"
#include "server/profiling/event_hub.h"
#include "server/profiling/live_progress.h"
#include "server/profiling/run_context.h"
#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "tests/fakes/fake_runtime.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof {

class BareRun {
 public:
  explicit BareRun(FakeModel model = {}) : runtime_(std::move(model)) {
    profile_.host = HostFacts();
  }

  /// As after the phases in the ample container: at full speed a row took `p95_ms`.
  void MeasuredInAmple(double p95_ms) {
    profile_.request.budget = std::chrono::seconds(300);
    ImageConfig image;
    image.image = "imitation";
    profile_.request.inference_config.emplace().service = image;
    rows_ = Rows(20, "row");
    context_.ceiling = {Cores(2.0), GiB(4)};
    context_.StartBudget();
    Observations& observed = context_.observed;
    observed.start_seconds = observed.start_cpu_seconds = {1};
    observed.slowest_row_ms = p95_ms;
    observed.reference_p95_ms = p95_ms;
  }

  RunContext& context() { return context_; }
  Profile& profile() { return profile_; }

 private:
  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = std::move(*Database::Open(folder_ / "mlprof.db"));
  ProfileRepository profiles_{*database_};
  EventHub events_{profiles_};
  LiveProgress live_;
  ControllerMetrics metrics_{"test"};
  FakeRuntime runtime_;
  Profile profile_;
  RunStop run_stop_;
  RunRecorder recorder_{profile_, profiles_, events_, live_, metrics_, runtime_.clock(), run_stop_};
  Rows rows_;
  RunContext context_{rows_,     runtime_, runtime_.clock(), [] { return HostLoad(); },
                      recorder_, run_stop_};
};

}  // namespace mlprof
