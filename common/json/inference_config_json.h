// Reading an inference config as a part of a larger document, for the other codecs of this folder.
#pragma once

#include "common/domain/inference_config.h"
#include "common/json/domain_json.h"
#include "common/json/json_reader.h"

namespace mlprof {

/// Reads all of `reader`'s object; what is wrong is in the reader's list of problems.
InferenceConfig ReadInferenceConfig(JsonReader& reader, SourceRule rule);

/// Absent, null and {} all mean that no config was given.
bool MeansAbsentConfig(const Json* json);

}  // namespace mlprof
