// How long the queue waits for what it depends on. Tests wait less.
#pragma once

#include <chrono>

namespace mlprof {

struct QueueWaits {
  /// Between two tries to write or read, doubled up to the most.
  std::chrono::milliseconds storage_first{500};
  std::chrono::milliseconds storage_most{15'000};
  /// Between two looks at an engine that a profile waits for, and for the answer to one.
  std::chrono::milliseconds engine_look{1'000};
  std::chrono::milliseconds engine_answer{3'000};
  /// How long an engine that went away under a run must answer before the next one; see
  /// EngineTrust.
  std::chrono::milliseconds engine_first_proof{2'000};
  std::chrono::milliseconds engine_longest_proof{60'000};
  /// For how long a profile of a private server, whose user sits at the terminal, waits for the
  /// engine before it fails.
  std::chrono::milliseconds private_patience{60'000};
  /// For the removal of orphans, and between two tries where nothing else is to do.
  std::chrono::milliseconds orphans{15'000};
  std::chrono::milliseconds orphans_again{10'000};
};

}  // namespace mlprof
