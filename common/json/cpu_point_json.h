// One limit that was tried, as the JSON of findings and of recommendations.
#pragma once

#include "common/domain/findings.h"
#include "common/json/json.h"
#include "common/json/json_reader.h"

namespace mlprof {

Json EncodeCpuPoint(const CpuPoint& point);
/// What is absent or no number is 0.
CpuPoint ReadCpuPoint(JsonReader& reader);

}  // namespace mlprof
