#include "server/registry/verified_tree.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <memory>

#include "common/log/log.h"
#include "server/registry/archive_intake.h"
#include "server/registry/byte_source.h"
#include "server/registry/unpacked_tree.h"
#include "server/storage/content_store.h"
#include "server/storage/file_digest.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

Error Damaged(const fs::path& file, const std::string& owner) {
  LogError("contentDamaged", {{"of", owner}, {"file", file.string()}});
  return Conflict("the stored file of " + owner +
                  " is damaged: its SHA-256 is not the one it was stored under; register it again, "
                  "which mends it, or restore the data directory from a backup");
}

Error Missing(const std::string& owner) {
  return NotFound("the files of " + owner +
                  " are missing from the data directory; register it again, or restore the data "
                  "directory from a backup");
}

// Takes a missing file back from the quarantine: after a start this may be needed before the server
// has done so by itself (content_upkeep.h).
Status FindFile(ContentStore& content, const std::string& sha256, const std::string& owner,
                const std::stop_token& stop) {
  struct stat facts {};
  const fs::path file = content.FilePath(sha256);
  if (lstat(file.c_str(), &facts) == 0) return {};
  if (errno != ENOENT) return Fail(FromErrno(errno, "looking for " + file.string()));
  MLPROF_LET(back, content.TakeBack(sha256, stop));
  if (!back) return Fail(Missing(owner));
  LogInfo("content was taken back from the quarantine", {{"of", owner}, {"sha256", sha256}});
  return {};
}

// Whether an archive that was sound when it came in cannot be read as one now, so that it is
// damaged. Other errors are of the machine and may pass.
bool IsNoArchive(const Error& error) {
  return error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kTooLarge;
}

// Whether the folder holds what the archive does; an error where the archive itself is damaged.
Result<bool> Compare(const fs::path& tar, const fs::path& tree, const std::string& sha256,
                     const std::string& owner, const std::stop_token& stop) {
  MLPROF_LET(file, FileSource::Open(tar));
  StoppableSource stoppable(*file, stop);
  RecordingSource source(stoppable, -1);
  TreeComparison comparison(tree);
  const auto read = ReadTar(source, TarLimits{}, comparison);
  if (!read && !IsNoArchive(read.error())) return Fail(read.error());
  if (!read || source.Digest() != sha256) return Fail(Damaged(tar, owner));
  return comparison.Same();
}

Status UnpackAgain(ContentStore& content, const std::string& sha256, const std::string& owner,
                   const std::stop_token& stop) {
  SpooledBody tar;
  tar.file = std::make_shared<const fs::path>(content.FilePath(sha256));
  auto staged = StagedArchive::Stage(content, tar, TarLimits{}, stop);
  if (!staged && !IsNoArchive(staged.error())) return Fail(staged.error());
  if (!staged || staged->sha256() != sha256) return Fail(Damaged(*tar.file, owner));
  const ContentClaim claim(content, sha256);
  return staged->PublishAnew(content, claim);
}

}  // namespace

Result<fs::path> VerifiedTree(ContentStore& content, const std::string& sha256,
                              const std::string& owner, const std::stop_token& stop) {
  const fs::path tree = content.TreePath(sha256);
  MLPROF_TRY(FindFile(content, sha256, owner, stop));
  std::error_code error;
  if (fs::exists(tree, error)) {
    MLPROF_LET(same, Compare(content.FilePath(sha256), tree, sha256, owner, stop));
    if (same) return tree;
    LogError("contentDamaged",
             {{"of", owner}, {"folder", tree.string()}, {"todo", "none: unpacked again"}});
  }
  MLPROF_TRY(UnpackAgain(content, sha256, owner, stop));
  return tree;
}

Status VerifyFile(ContentStore& content, const std::string& sha256, const std::string& owner,
                  const std::stop_token& stop) {
  MLPROF_TRY(FindFile(content, sha256, owner, stop));
  const fs::path file = content.FilePath(sha256);
  KnownFiles& known = content.known();
  auto facts = FactsOf(file);
  if (facts && known.Knows(sha256, *facts)) return {};
  const auto turn = known.Turn();
  if (!turn) return Fail(turn.error());
  facts = FactsOf(file);
  if (facts && known.Knows(sha256, *facts)) return {};
  const auto began = std::chrono::system_clock::now().time_since_epoch();
  MLPROF_LET(digest, FileDigest(file, stop));
  if (digest != sha256) return Fail(Damaged(file, owner));
  if (facts && FactsOf(file) == facts) {
    known.Remember(sha256, *facts, std::chrono::nanoseconds(began).count());
  }
  return {};
}

Error AsFault(const Error& error) {
  const bool lasting = error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kConflict;
  return lasting ? Internal(error.message()) : error;
}

}  // namespace mlprof::server
