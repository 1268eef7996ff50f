// Files that a model has mapped and another container pays for. Pure.
#pragma once

#include <span>
#include <string>

#include "common/domain/sample.h"

namespace mlprof::server {

/// Pages of files belong to the cgroup that read them first, and cannot be dropped while another
/// container has them mapped: one of the same image, say. What a model has so for nothing it pays
/// for where it runs alone. The median of what the samples tell, which are a moment old; 0 where
/// that is less than a step of memory below `limit` (16 MiB, or 5%).
Bytes FilesOfOthers(std::span<const Sample> samples, Bytes limit);

/// That a container did not pay for so much.
std::string UnpaidText(Bytes files);

}  // namespace mlprof::server
