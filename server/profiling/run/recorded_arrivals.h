// The times of a trace of arrivals, out of the dataset that has them.
#pragma once

#include <string>

#include "common/domain/objective.h"
#include "common/result/result.h"

namespace mlprof::server {

class DatasetRegistry;

/// Puts them into the objective, with the dataset's id in full, and where it has no rate the
/// trace's own; other arrivals stay as they are. Errors as of DatasetRegistry::Get and ReadRows, of
/// ReadArrivalTimes, and kInvalidArgument where its own rate is none that an objective may have.
Status ReadRecorded(DatasetRegistry& datasets, const std::string& workspace, Objective& objective);

}  // namespace mlprof::server
