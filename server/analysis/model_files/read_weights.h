// What one file of a model says of its parameters. Pure over RandomBytes.
#pragma once

#include <optional>
#include <string>

#include "common/domain/model_weights.h"
#include "server/analysis/model_files/random_bytes.h"

namespace mlprof::server {

/// Told by its first bytes and its name. nullopt: it holds no parameters that are known. What is
/// cut or hostile has a `problem`. Of a file that is as it should be a few MB are read; how much of
/// a hostile one is the business of `bytes`, whose error ends it.
std::optional<WeightsFile> ReadWeights(RandomBytes& bytes, const std::string& path);

}  // namespace mlprof::server
