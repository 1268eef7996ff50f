// An imitated model whose heap follows its memory limit.
#pragma once

#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {

// 110 MiB of heap at a quarter of the limit: 440 MiB of it.
inline FakeModel AQuarterForTheHeap() {
  FakeModel model;
  model.start_peak = MiB(60);
  model.serving_peak = MiB(60);
  model.heap_share = 0.25;
  model.heap_live = MiB(100);
  model.garbage_per_row = MiB(10);
  return model;
}

}  // namespace mlprof::server
