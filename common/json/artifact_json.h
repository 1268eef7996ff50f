// The JSON of an artifact, as the REST interface writes it.
#pragma once

#include "common/domain/artifact.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof {

Json EncodeArtifact(const Artifact& artifact);
/// kInvalidArgument for a name that could be more than the name of a file in a folder.
Result<Artifact> DecodeArtifact(const Json& json);

}  // namespace mlprof
