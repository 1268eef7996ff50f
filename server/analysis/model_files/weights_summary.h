// What all files of a model say together: what serving must hold at least. Pure.
#pragma once

#include <vector>

#include "common/domain/model_weights.h"

namespace mlprof::server {

/// Shards are one; the same parameters in another format, or in another precision, count once, the
/// smallest of them (which is told as `left_out` of the others). A bound from below: the parameters
/// as they are stored, and nothing of the runtime, of activations and of copies.
ModelWeights SummariseWeights(std::vector<WeightsFile> files);

}  // namespace mlprof::server
