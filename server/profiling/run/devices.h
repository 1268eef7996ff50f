// The devices that a run is lent.
#pragma once

#include "server/devices/gpu/device_pool.h"
#include "server/profiling/run/profile_run.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// Of none where none are asked for. What belongs to other profiles of ours lets the run wait as it
/// waits for room; what is not there, or is in use by others, ends it before anything is launched.
PhaseResult<devices::DeviceLease> TakeDevices(const RunServices& services, const Accelerator& asked,
                                              RunStop& run_stop);

/// Into the choice: which they are, and their memory as a part of the ceiling.
void SetDevices(const devices::DeviceLease& lease, HostChoice& choice);

}  // namespace mlprof::server
