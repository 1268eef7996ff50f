// Threads that fail as values: one that cannot be made is an error to its maker, and nothing thrown
// inside one ends the process.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "common/result/result.h"

namespace mlprof {

/// Runs `work` on a thread of its own; its token is the jthread's. kResourceExhausted where the
/// system gives no more threads or memory. What `work` throws is logged with `name` and ends that
/// thread alone: a loop that must outlive one bad turn catches within the turn.
Result<std::jthread> StartThread(const char* name, std::function<void(std::stop_token)> work);

}  // namespace mlprof
