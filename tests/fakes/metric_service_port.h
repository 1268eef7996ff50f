// The imitated metric service on a port of loopback, for programs.
#pragma once

#include <functional>

#include "tests/fakes/fake_metric_service.h"

namespace mlprof::fakes {

/// Exits where the port cannot be had.
int ListenForMetrics(int port);

/// `load` says what it tells, anew for every connection, on a thread of the connection's.
[[noreturn]] void ServeMetrics(int listener, const std::function<void(FakeMetricService&)>& load);

}  // namespace mlprof::fakes
