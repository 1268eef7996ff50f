// A data directory that has lost its database.
#pragma once

#include "common/result/result.h"
#include "server/storage/data_directory.h"

namespace mlprof::server {

/// kInternal, with what to do, where content lies in the directory and the database that says whose
/// it is has no byte or is not there: a new one would know nothing of it.
Status RefuseLostDatabase(const DataDirectory& directory);

}  // namespace mlprof::server
