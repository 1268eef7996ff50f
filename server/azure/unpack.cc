#include "server/azure/unpack.h"

#include <array>
#include <optional>

#include "server/registry/gzip_source.h"
#include "server/registry/tar_reader.h"
#include "server/registry/tree_writer.h"

namespace mlprof {
namespace {

Result<bool> IsGzip(const std::filesystem::path& file) {
  auto source = FileSource::Open(file);
  if (!source) return Fail(source.error());
  std::array<char, 2> first{};
  const auto got = ReadFully(**source, first);
  if (!got) return Fail(got.error());
  return LooksLikeGzip(std::span(first).first(*got));
}

}  // namespace

Status UnpackInto(const std::filesystem::path& archive, const std::filesystem::path& folder) {
  const auto gzip = IsGzip(archive);
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

}  // namespace mlprof
