// What to change where an allocation failed, with what that would give. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/domain/allocation_failure.h"

namespace mlprof::server {

/// The greatest expected effect first; what has no number comes behind. Numbers are marked
/// "(estimated)": they follow from the shapes and types that the failure tells, and nothing was run
/// for them. `limit`: of the container's memory, where it is known.
std::vector<std::string> AdviceFor(const AllocationFailure& failure,
                                   const std::optional<Bytes>& limit);

}  // namespace mlprof::server
