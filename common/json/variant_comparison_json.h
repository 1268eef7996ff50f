// A comparison of variants as the resource of the REST interface, both ways.
#pragma once

#include "common/domain/variant_comparison.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof {

Json EncodeComparison(const VariantComparison& comparison);
Result<VariantComparison> DecodeComparison(const Json& json);

}  // namespace mlprof
