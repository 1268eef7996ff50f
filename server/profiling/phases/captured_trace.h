// What a profile reads of a device trace that it has taken: how much is in it, what costs most on
// the device, which row was under way when, and what the slowest rows spent their time on. The
// trace is the model's: whatever is in it, this ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/profile_capture.h"
#include "common/http/message.h"
#include "common/result/result.h"
#include "server/devices/xspace/row_visits.h"
#include "server/devices/xspace/time_limit.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

struct CapturedTrace {
  std::int64_t events = 0;                // at least one
  std::optional<xspace::RowVisits> rows;  // nullopt where it does not tell when it began
  std::string no_rows;                    // why none is found in it; "" where some are
  std::vector<CapturedRow> slowest;       // none where the time was over
  std::optional<CapturedCosts> costs;     // likewise; of a device alone
};

/// `replay`: of the rows that were sent meanwhile. `unix_ahead`: by how much the time since 1970
/// was ahead of the clock of the replay. kConflict where nothing is in it, kTooLarge.
Result<CapturedTrace> ReadCapturedTrace(const SpooledBody& trace, const ReplayResult& replay,
                                        std::chrono::nanoseconds unix_ahead,
                                        const xspace::TimeLimit& time);

}  // namespace mlprof::server::phases
