// ModelWeights as the JSON of GET /models/{id}/weights, both ways.
#pragma once

#include "common/domain/model_weights.h"
#include "common/json/json.h"

namespace mlprof {

Json EncodeModelWeights(const ModelWeights& weights);
Result<ModelWeights> DecodeModelWeights(const Json& json);

}  // namespace mlprof
