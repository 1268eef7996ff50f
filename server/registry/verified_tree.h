// Unpacked archives that are what was uploaded: bits can change on a disk without anybody's doing.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof::server {

class ContentStore;

/// Content of the store that was compared with its digest, in both of its forms.
struct VerifiedContent {
  std::string sha256;             // of the archive
  Bytes size;                     // of the files
  std::filesystem::path archive;  // a tar, uncompressed
  std::filesystem::path files;    // the folder it unpacks to, read-only
};

/// The folder that the archive of this digest unpacks to, byte for byte. Reads the archive, sees
/// whether its SHA-256 is right, and compares it with the folder; a folder that is missing or
/// differs is unpacked again, and an archive that lies in the quarantine is taken back. What stays
/// so names `owner` ("the model words:1"): kNotFound where the archive is missing, kConflict where
/// it is damaged. Anything else may pass: kInternal and kUnavailable of the machine, kCancelled at
/// the stop.
Result<std::filesystem::path> VerifiedTree(ContentStore& content, const std::string& sha256,
                                           const std::string& owner, const std::stop_token& stop);

/// Sees whether a file of the content store has its digest; errors as above. Reads it only where it
/// changed since it was read last (file_digest.h), one file at a time: kUnavailable where another
/// takes long.
Status VerifyFile(ContentStore& content, const std::string& sha256, const std::string& owner,
                  const std::stop_token& stop = {});

/// The same error to whoever asked for content that a row says is there: it is neither not found
/// nor in conflict with anything he did, but kInternal.
Error AsFault(const Error& error);

}  // namespace mlprof::server
