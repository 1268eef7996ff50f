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
  BareRun() { profile_.host = HostFacts(); }

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
  RunRecorder recorder_{profile_, profiles_, events_, live_, metrics_, runtime_.clock()};
  Rows rows_;
  RunContext context_{rows_,     runtime_,         runtime_.clock(), [] { return HostLoad(); },
                      recorder_, std::stop_token()};
};

}  // namespace mlprof
