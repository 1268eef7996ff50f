// Unpacks a stored tar (gzip or not) into a folder, by the rules every upload is held to.
#pragma once

#include <filesystem>

#include "common/result/result.h"

namespace mlprof::server {

/// Makes `folder`, which must not be there. Errors as of ReadTar (common/tar/tar_reader.h).
Status UnpackInto(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace mlprof::server
