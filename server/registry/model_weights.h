// What the files of a registered model say of its parameters. Reads the unpacked tree.
#pragma once

#include <filesystem>

#include "common/domain/model_weights.h"
#include "common/result/result.h"

namespace mlprof::server {

/// Of the tree below `root`; links are not followed. A file that cannot be read has a problem; the
/// tree that cannot is an error. Of at most 1,000 files that hold parameters, and of a tree of at
/// most 100,000 entries, within 1 GiB of reading and 10 s; where there is more, the answer says so.
Result<ModelWeights> ReadModelWeights(const std::filesystem::path& root);

}  // namespace mlprof::server
