// Tells the operator that a data directory has moved, is a copy, or has come from another machine.
#pragma once

#include <filesystem>

#include "server/storage/instance_record.h"

namespace mlprof::server {

/// Into the log; nothing for one that is in its place.
void TellWhereabouts(const Instance& instance, const std::filesystem::path& data_dir);

}  // namespace mlprof::server
