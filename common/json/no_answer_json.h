// Why there is no answer, in JSON, both ways.
#pragma once

#include "common/domain/no_answer.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof {

Json EncodeNoAnswer(const NoAnswer& no_answer);
Result<NoAnswer> DecodeNoAnswer(const Json& json);

}  // namespace mlprof
