// What one fresh container is tried at. A value.
#pragma once

#include "common/domain/limits.h"
#include "common/domain/trial.h"
#include "server/profiling/lab/workload.h"

namespace mlprof::server::phases {

struct LimitedRunPlan {
  Limits limits;
  TrialPurpose purpose = TrialPurpose::kVerification;
  LoadTime load;  // of the measured load
  /// One of several that decide together. It is not measured again where it is slow beside a
  /// reference of now, too; and where it is clearly slow it takes no turn with one, and sends no
  /// more requests than it is judged by.
  bool once = false;
  bool lowers_cpu_alone = false;  // all else is as it was proven
};

}  // namespace mlprof::server::phases
