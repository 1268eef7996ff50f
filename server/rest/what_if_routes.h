// The question and the answer of POST /profiles/{name}/what-if, both pure; the route itself is
// declared in rest_api.h.
#pragma once

#include "common/json/json.h"
#include "server/analysis/what_if/what_if.h"

namespace mlprof::server {

/// Without an objective it is the profile's `own` one. kInvalidArgument with every bad field.
Result<WhatIfQuestion> DecodeWhatIfQuestion(const Json& json, const Objective& own);
/// The members of a recommendation, or `recommendation` null, `noAnswer`, `withinMeasured` and
/// `notes`.
Json EncodeWhatIfAnswer(const WhatIfAnswer& answer);

}  // namespace mlprof::server
