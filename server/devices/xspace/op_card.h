// All that is known of one operation, as a document. Pure.
#pragma once

#include "common/json/json.h"
#include "server/devices/xspace/op_metrics.h"

namespace mlprof::server::xspace {

/// How fast an operation was and how fast it could be, by the lower of what the device computes and
/// what its memories carry. Rates are over the time with what is nested in it.
struct Roofline {
  double flops_per_second = 0;
  double model_flops_per_second = 0;
  double bytes_per_second = 0;  // of all memories
  double hbm_bytes_per_second = 0;
  double intensity = 0;           // operations a byte
  double flops_utilization = 0;   // of the peak; 0 where the peak is not told
  double memory_utilization = 0;  // of the memory that is used most
  double efficiency = 0;          // of the nearer of both limits
  double optimal_flops_per_second = 0;
  std::string bound_by;  // "Compute", "HBM", "CMEM Read", …; "Unknown" without peaks
};
Roofline RooflineOf(const Op& op, const DevicePeaks& peaks);

Json RooflineJson(const Roofline& roofline);
/// Expression, provenance, source, shape, layout and padding; what binds it.
Json OpCardJson(const Op& op, const DevicePeaks& peaks);

}  // namespace mlprof::server::xspace
