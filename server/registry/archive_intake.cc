#include "server/registry/archive_intake.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "server/registry/gzip_source.h"
#include "server/registry/unpacked_tree.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

struct Unpacked {
  TarContents contents;
  std::string sha256;
};

// The uncompressed tar is written to `tar` only where the upload is not that already.
Result<Unpacked> Unpack(const fs::path& upload, bool gzip, int tar, TreeWriter& tree,
                        const TarLimits& limits, const std::stop_token& stop) {
  MLPROF_LET(file, FileSource::Open(upload));
  StoppableSource stoppable(*file, stop);
  std::optional<GzipSource> unzipped;
  if (gzip) unzipped.emplace(stoppable);
  RecordingSource source(gzip ? static_cast<ByteSource&>(*unzipped) : stoppable, tar);
  MLPROF_LET(contents, ReadTar(source, limits, tree));
  MLPROF_TRY(tree.Finish());
  return Unpacked{contents, source.Digest()};
}

}  // namespace

Result<StagedArchive> StagedArchive::Stage(ContentStore& content, const SpooledBody& upload,
                                           const TarLimits& limits, const std::stop_token& stop) {
  StagedArchive staged(content);
  MLPROF_LET(gzip, IsGzipFile(*upload.file));
  MLPROF_LET(tree, TreeWriter::Create(staged.tree_.path()));
  // An upload that is a tar already and lies on the same file system is linked, not copied.
  const bool linked = !gzip && link(upload.file->c_str(), staged.tar_.path().c_str()) == 0;
  FileDescriptor copy;
  if (!linked) {
    copy = FileDescriptor(
        open(staged.tar_.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!copy) return Fail(FromErrno(errno, "creating " + staged.tar_.path().string()));
  }
  MLPROF_LET(unpacked, Unpack(*upload.file, gzip, copy.get(), tree, limits, stop));
  MLPROF_TRY(SyncPath(staged.tar_.path()));
  staged.sha256_ = unpacked.sha256;
  staged.size_ = unpacked.contents.size;
  return staged;
}

Status StagedArchive::Publish(ContentStore& content, const ContentClaim& claim) {
  MLPROF_TRY(content.PutFile(tar_.path(), claim));
  return content.PutTree(tree_.path(), claim);
}

Status StagedArchive::PublishAnew(ContentStore& content, const ContentClaim& claim) {
  MLPROF_TRY(content.PutFile(tar_.path(), claim));
  return content.ReplaceTree(tree_.path(), claim);
}

}  // namespace mlprof::server
