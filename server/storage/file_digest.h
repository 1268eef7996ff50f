// The SHA-256 of a file as it lies on the disk.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "common/result/result.h"

namespace mlprof::server {

/// 64 lower-case hex digits. kCancelled at the stop; kInternal for a file that cannot be read.
Result<std::string> FileDigest(const std::filesystem::path& file, const std::stop_token& stop = {});

/// Whether a text is such a digest: what names content is checked before it becomes a path.
bool IsDigest(const std::string& text);

}  // namespace mlprof::server
