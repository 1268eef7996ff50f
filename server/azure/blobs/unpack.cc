#include "server/azure/blobs/unpack.h"

#include <optional>

#include "common/tar/tar_reader.h"
#include "server/registry/gzip_source.h"
#include "server/registry/tree_writer.h"

namespace mlprof::server {

Status UnpackInto(const std::filesystem::path& archive, const std::filesystem::path& folder) {
  MLPROF_LET(gzip, IsGzipFile(archive));
  MLPROF_LET(file, FileSource::Open(archive));
  MLPROF_LET(tree, TreeWriter::Create(folder));
  std::optional<GzipSource> unzipped;
  if (gzip) unzipped.emplace(*file);
  ByteSource& source = gzip ? static_cast<ByteSource&>(*unzipped) : *file;
  MLPROF_TRY(ReadTar(source, TarLimits{}, tree));
  return tree.Finish();
}

}  // namespace mlprof::server
