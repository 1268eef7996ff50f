// LevelDB's table of sorted keys, as TensorFlow writes it: uncompressed. Pure.
#pragma once

#include <functional>
#include <string>

#include "common/result/result.h"
#include "server/analysis/model_files/random_bytes.h"

namespace mlprof::server {

/// Whether the file ends as such a table does.
bool EndsAsSortedTable(RandomBytes& bytes);

/// Calls `entry` for each key and its value, in their order, until it fails.
Status ReadSortedTable(
    RandomBytes& bytes,
    const std::function<Status(const std::string& key, std::string value)>& entry);

}  // namespace mlprof::server
