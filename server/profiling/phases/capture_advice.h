// What to do where a device trace of a profile could not be taken. Pure.
#pragma once

#include <string>

#include "common/result/result.h"

namespace mlprof::server::phases {

/// By what is known of the failure beside its own words: kNotFound and kInvalidArgument: nobody, or
/// somebody else, answers at `port`; kConflict: the profiler is in use, or recorded nothing;
/// kTooLarge and kDeadlineExceeded: the trace is too large; kCancelled: the budget ended;
/// kResourceExhausted: memory; anything else is looked up in the logs.
std::string AdviceOnCapture(const Error& error, int port);

}  // namespace mlprof::server::phases
