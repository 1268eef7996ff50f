// Unpacked archives that are what was uploaded: bits can change on a disk without anybody's doing.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "common/result/result.h"

namespace mlprof {

class ContentStore;

/// The folder that the archive of this digest unpacks to, byte for byte. Reads the archive, sees
/// whether its SHA-256 is right, and compares it with the folder; a folder that is missing or
/// differs is unpacked again. kInternal, naming `owner` ("the model words:1"), where the archive is
/// missing or damaged; kCancelled at the stop.
Result<std::filesystem::path> VerifiedTree(ContentStore& content, const std::string& sha256,
                                           const std::string& owner, const std::stop_token& stop);

/// Sees whether a file of the content store has its digest; errors as above.
Status VerifyFile(const ContentStore& content, const std::string& sha256, const std::string& owner,
                  const std::stop_token& stop = {});

}  // namespace mlprof
