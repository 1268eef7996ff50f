// A failed allocation as JSON, both ways.
#pragma once

#include "common/domain/allocation_failure.h"
#include "common/json/json.h"
#include "common/json/json_reader.h"

namespace mlprof {

/// What is not known is absent.
Json EncodeAllocationFailure(const AllocationFailure& failure);
AllocationFailure ReadAllocationFailure(JsonReader& reader);

}  // namespace mlprof
