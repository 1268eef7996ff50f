// The body of PATCH /models/{id}. Pure.
#pragma once

#include "common/json/json.h"
#include "server/registry/model_registry.h"

namespace mlprof::server {

/// kInvalidArgument with every bad field.
Result<ModelChange> DecodeModelChange(const Json& json);

}  // namespace mlprof::server
