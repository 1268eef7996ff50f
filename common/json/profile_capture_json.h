// The device traces of a profile in JSON, both ways.
#pragma once

#include <vector>

#include "common/domain/profile_capture.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof {

Json EncodeProfileCaptures(const std::vector<ProfileCapture>& captures);
Result<std::vector<ProfileCapture>> DecodeProfileCaptures(const Json& json);

}  // namespace mlprof
