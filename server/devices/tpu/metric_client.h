// Asks libtpu's metric service, which runs within the process that has the chips, on a port of its
// own loopback: gRPC over HTTP/2 without TLS, through whatever reaches that port.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/units/bytes.h"
#include "server/devices/tpu/metric_messages.h"
#include "server/runtime/forward/port_stream.h"

namespace mlprof::server::tpu {

/// One thread at a time.
class MetricClient {
 public:
  /// A new connection to the port, for each question.
  using Dial = std::function<Result<std::unique_ptr<PortStream>>(Deadline deadline)>;

  explicit MetricClient(Dial dial) : dial_(std::move(dial)) {}

  /// By device, in order. kNotFound: this libtpu does not have the metric. kUnavailable: nothing
  /// listens, or the connection was lost. kInvalidArgument: what listens is no metric service.
  /// kDeadlineExceeded, kInternal.
  Result<std::vector<MetricValue>> Get(std::string_view metric, Deadline deadline);

 private:
  const Dial dial_;
};

}  // namespace mlprof::server::tpu
