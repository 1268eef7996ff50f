// The file a dataset is kept in: the 8 bytes "MLPROWS1", then for every row its length (4 bytes,
// little-endian) and its bytes. Reading on from any row needs no index: cursors carry the offset.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/domain/dataset.h"
#include "common/hash/sha256.h"
#include "common/result/result.h"
#include "server/registry/row_sink.h"
#include "server/storage/durable_file.h"
#include "server/storage/page.h"

namespace mlprof::server {

/// The file begins with it.
inline constexpr std::string_view kPackedMagic = "MLPROWS1";

/// Writes a new file as the rows come. One thread.
class PackedRowWriter final : public RowSink {
 public:
  static Result<PackedRowWriter> Create(const std::filesystem::path& file);
  Status Add(std::string row) override;
  /// Fsyncs the file; its hex SHA-256. Nothing follows.
  Result<std::string> Finish();

 private:
  PackedRowWriter(std::filesystem::path file, FileDescriptor fd);
  Status Flush();

  std::filesystem::path file_;
  FileDescriptor fd_;
  Sha256 sha_;
  std::string buffer_;
};

/// All at once.
Result<std::string> WritePackedRows(const std::filesystem::path& file, const Rows& rows);
/// What WritePackedRows would give, without writing.
std::string PackedDigest(const Rows& rows);
/// kInternal for a file that is damaged.
Result<Rows> ReadPackedRows(const std::filesystem::path& file);
/// At most `top` rows and 64 MiB of them, one at least. kInvalidArgument for a cursor of another
/// list.
Result<Page<std::string>> ReadPackedPage(const std::filesystem::path& file,
                                         const PageRequest& page);

}  // namespace mlprof::server
