// Comparisons of variants: alternatives of one profile, profiled one after the other and ranked.
#pragma once

#include <string>

#include "common/domain/variant_comparison.h"
#include "common/result/result.h"
#include "mlprof/resource.h"

namespace mlprof::client {

class Connection;

class Comparisons {
 public:
  explicit Comparisons(Connection& connection) : connection_(connection) {}

  /// kInvalidArgument with pointers ("/variants/2/args").
  Result<Resource<VariantComparison>> Create(const VariantComparisonRequest& request);
  /// By name or id, as its profiles are now.
  Result<Resource<VariantComparison>> Get(const std::string& name);
  Result<ResourceList<VariantComparison>> List();
  /// Of all its profiles that are not finished; kConflict where all are.
  Result<Resource<VariantComparison>> Cancel(const std::string& name);
  /// With its profiles; kConflict while one is not finished.
  Status Delete(const std::string& name);

 private:
  Connection& connection_;
};

}  // namespace mlprof::client
