#include "server/registry/verified_tree.h"

#include <memory>

#include "common/log/log.h"
#include "server/registry/archive_intake.h"
#include "server/registry/byte_source.h"
#include "server/registry/tree_comparison.h"
#include "server/storage/content_store.h"
#include "server/storage/file_digest.h"

namespace mlprof {
namespace {

namespace fs = std::filesystem;

// An archive, until the stop.
class StoppableSource : public ByteSource {
 public:
  StoppableSource(ByteSource& inner, const std::stop_token& stop) : inner_(inner), stop_(stop) {}
  Result<std::size_t> Read(std::span<char> buffer) override {
    if (stop_.stop_requested()) return Fail(Cancelled("reading an archive was stopped"));
    return inner_.Read(buffer);
  }

 private:
  ByteSource& inner_;
  const std::stop_token& stop_;
};

Error Damaged(const fs::path& file, const std::string& owner) {
  LogError("contentDamaged", {{"of", owner}, {"file", file.string()}});
  return Internal("the stored file of " + owner +
                  " is damaged: its SHA-256 is not the one it was stored under; register it again, "
                  "which mends it, or restore the data directory from a backup");
}

Error Missing(const std::string& owner) {
  return Internal("the files of " + owner +
                  " are missing from the data directory; register it again, or restore the data "
                  "directory from a backup");
}

// Whether the folder holds what the archive does; an error where the archive itself is damaged.
Result<bool> Compare(const fs::path& tar, const fs::path& tree, const std::string& sha256,
                     const std::string& owner, const std::stop_token& stop) {
  auto file = FileSource::Open(tar);
  if (!file) return Fail(file.error());
  StoppableSource stoppable(**file, stop);
  RecordingSource source(stoppable, -1);
  TreeComparison comparison(tree);
  const auto read = ReadTar(source, TarLimits{}, comparison);
  if (stop.stop_requested()) return Fail(Cancelled("the check of " + owner + " was stopped"));
  if (!read && read.error().code() == ErrorCode::kInternal) return Fail(read.error());
  if (!read || source.Digest() != sha256) return Fail(Damaged(tar, owner));
  return comparison.Same();
}

Status UnpackAgain(ContentStore& content, const std::string& sha256, const std::string& owner) {
  SpooledBody tar;
  tar.file = std::make_shared<const fs::path>(content.FilePath(sha256));
  auto staged = StagedArchive::Stage(content, tar);
  if (!staged && staged.error().code() != ErrorCode::kInvalidArgument) {
    return Fail(staged.error());
  }
  if (!staged || staged->sha256() != sha256) return Fail(Damaged(*tar.file, owner));
  const auto lock = content.Lock();
  MLPROF_TRY(content.RemoveTree(sha256));
  return staged->Publish(content);
}

}  // namespace

Result<fs::path> VerifiedTree(ContentStore& content, const std::string& sha256,
                              const std::string& owner, const std::stop_token& stop) {
  const fs::path tree = content.TreePath(sha256);
  if (!content.HasFile(sha256)) return Fail(Missing(owner));
  std::error_code error;
  if (fs::exists(tree, error)) {
    const auto same = Compare(content.FilePath(sha256), tree, sha256, owner, stop);
    if (!same) return Fail(same.error());
    if (*same) return tree;
    LogError("contentDamaged",
             {{"of", owner}, {"folder", tree.string()}, {"todo", "none: unpacked again"}});
  }
  MLPROF_TRY(UnpackAgain(content, sha256, owner));
  return tree;
}

Status VerifyFile(const ContentStore& content, const std::string& sha256, const std::string& owner,
                  const std::stop_token& stop) {
  if (!content.HasFile(sha256)) return Fail(Missing(owner));
  const auto digest = FileDigest(content.FilePath(sha256), stop);
  if (!digest) return Fail(digest.error());
  if (*digest != sha256) return Fail(Damaged(content.FilePath(sha256), owner));
  return {};
}

}  // namespace mlprof
