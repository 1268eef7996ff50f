// What one file of a model says of its parameters. Pure over RandomBytes.
#pragma once

#include <optional>
#include <string>

#include "common/domain/model_weights.h"
#include "server/analysis/model_files/random_bytes.h"

namespace mlprof::server {

/// Told by its first bytes and its name. nullopt: it holds no parameters that are known. What is
/// cut or hostile has a `problem`. Of a file of any size a few hundred MB are read at most, and a
/// few MB of one that is as it should be.
std::optional<WeightsFile> ReadWeights(RandomBytes& bytes, const std::string& path);

}  // namespace mlprof::server
