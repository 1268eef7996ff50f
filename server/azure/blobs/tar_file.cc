#include "server/azure/blobs/tar_file.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "common/tar/tar_reader.h"
#include "server/registry/byte_source.h"
#include "server/registry/gzip_source.h"
#include "server/registry/unpacked_tree.h"

namespace mlprof::server {

Result<TarFile> TarFile::Create(const std::filesystem::path& file) {
  FileDescriptor fd(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return Fail(FromErrno(errno, "creating " + file.string()));
  return TarFile(std::move(fd));
}

TarWriter TarFile::Writer() {
  return {LongPaths::kInPax,
          [fd = file_.get()](std::string_view bytes) { return WriteAll(fd, bytes); }};
}

Status TarFile::AddFile(const std::string& name, const std::filesystem::path& content) {
  std::error_code error;
  const auto found = std::filesystem::file_size(content, error);
  if (error) return Fail(FromErrno(error.value(), "reading " + name));
  const auto size = static_cast<std::int64_t>(found);
  total_ += size;
  if (total_ > TarLimits().total_size.count()) {
    return Fail(ErrorCode::kTooLarge, "the files have more than 16 GiB");
  }
  MLPROF_LET(source, FileSource::Open(content));
  return Writer().AddFile({name, false, size}, *source);
}

Status TarFile::AddTree(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  }
  if (error) return Fail(FromErrno(error.value(), "listing an unpacked archive"));
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    MLPROF_TRY(AddFile(file.lexically_relative(folder).generic_string(), file));
  }
  return {};
}

Status TarFile::Finish() { return Writer().Finish(); }

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
