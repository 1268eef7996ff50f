#include "server/azure/blobs/unpack.h"

#include <optional>

#include "common/tar/tar_reader.h"
#include "server/registry/gzip_source.h"
#include "server/registry/tree_writer.h"

namespace mlprof::server {

Status UnpackInto(const std::filesystem::path& archive, const std::filesystem::path& folder) {
  const auto gzip = IsGzipFile(archive);
  if (!gzip) return Fail(gzip.error());
  auto file = FileSource::Open(archive);
  if (!file) return Fail(file.error());
  auto tree = TreeWriter::Create(folder);
  if (!tree) return Fail(tree.error());
  std::optional<GzipSource> unzipped;
  if (*gzip) unzipped.emplace(**file);
  ByteSource& source = *gzip ? static_cast<ByteSource&>(*unzipped) : **file;
  const auto contents = ReadTar(source, TarLimits{}, *tree);
  if (!contents) return Fail(contents.error());
  return tree->Finish();
}

}  // namespace mlprof::server
