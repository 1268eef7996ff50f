// The file a dataset is kept in: the 8 bytes "MLPROWS1", then for every row its length (4 bytes,
// little-endian) and its bytes. Reading on from any row needs no index: cursors carry the offset.
#pragma once

#include <filesystem>

#include "common/domain/dataset.h"
#include "common/result/result.h"
#include "server/storage/page.h"

namespace mlprof {

/// Writes and fsyncs a new file; its hex SHA-256.
Result<std::string> WritePackedRows(const std::filesystem::path& file, const Rows& rows);
/// What WritePackedRows would answer, without writing.
std::string PackedDigest(const Rows& rows);
/// kInternal for a file that is damaged.
Result<Rows> ReadPackedRows(const std::filesystem::path& file);
/// At most `top` rows and 64 MiB of them, one at least. kInvalidArgument for a cursor of another
/// list.
Result<Page<std::string>> ReadPackedPage(const std::filesystem::path& file,
                                         const PageRequest& page);

}  // namespace mlprof
