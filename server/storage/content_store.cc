#include "server/storage/content_store.h"

#include <sys/stat.h>

#include <set>

#include "common/log/log.h"
#include "server/storage/durable_file.h"
#include "server/storage/file_digest.h"
#include "server/storage/random_id.h"

namespace mlprof {
namespace {

namespace fs = std::filesystem;

Status MakePrivate(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Fail(FromErrno(error.value(), "creating " + folder.string()));
  if (chmod(folder.c_str(), 0700) != 0) return Fail(FromErrno(errno, "chmod " + folder.string()));
  return {};
}

Status RemoveAll(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return Fail(FromErrno(error.value(), "removing " + path.string()));
  return {};
}

void AddDigest(const fs::path& path, std::set<std::string>& digests) {
  if (std::string name = path.filename().string(); IsDigest(name)) digests.insert(std::move(name));
}

// Into a folder that is made where it is missing; nothing where there is nothing to move.
Result<Bytes> MoveInto(const fs::path& folder, const fs::path& from) {
  std::error_code error;
  if (!fs::exists(from, error)) return Bytes(0);
  const Bytes size = SizeOfTree(from);
  MLPROF_TRY(MakePrivate(folder));
  MLPROF_TRY(RenameDurably(from, folder / from.filename()));
  MLPROF_TRY(SyncPath(from.parent_path()));
  return size;
}

}  // namespace

ContentStore::ContentStore(const fs::path& data_directory)
    : files_(data_directory / "content" / "sha256"),
      trees_(data_directory / "trees"),
      incoming_(data_directory / "incoming"),
      quarantine_(data_directory) {}

Result<std::unique_ptr<ContentStore>> ContentStore::Open(const fs::path& data_directory) {
  std::unique_ptr<ContentStore> store(new ContentStore(data_directory));
  MLPROF_TRY(RemoveAll(store->incoming_));
  MLPROF_TRY(MakePrivate(store->files_.parent_path()));
  for (const fs::path& folder : {store->files_, store->trees_, store->incoming_}) {
    MLPROF_TRY(MakePrivate(folder));
  }
  return store;
}

fs::path ContentStore::NewIncomingPath() const { return incoming_ / RandomId(); }

fs::path ContentStore::FilePath(const std::string& sha256) const {
  return files_ / sha256.substr(0, 2) / sha256;
}

fs::path ContentStore::TreePath(const std::string& sha256) const { return trees_ / sha256; }

Status ContentStore::PutFile(const fs::path& file, const std::string& sha256) {
  ++puts_;
  // Over one that is there: what came in last is known to have the digest.
  const fs::path target = FilePath(sha256);
  MLPROF_TRY(SyncPath(file));
  MLPROF_TRY(MakePrivate(target.parent_path()));
  MLPROF_TRY(SyncPath(files_));
  return RenameDurably(file, target);
}

Status ContentStore::PutTree(const fs::path& folder, const std::string& sha256) {
  const fs::path target = TreePath(sha256);
  std::error_code error;
  if (fs::exists(target, error)) return RemoveAll(folder);
  return RenameDurably(folder, target);
}

bool ContentStore::HasFile(const std::string& sha256) const {
  std::error_code error;
  return fs::is_regular_file(FilePath(sha256), error);
}

Status ContentStore::Remove(const std::string& sha256) {
  MLPROF_TRY(RemoveAll(FilePath(sha256)));
  return RemoveTree(sha256);
}

Status ContentStore::RemoveTree(const std::string& sha256) {
  // A tree half removed must not pass for a whole one after a crash: out of its name first.
  const fs::path tree = TreePath(sha256);
  std::error_code error;
  if (!fs::exists(tree, error)) return {};
  const fs::path doomed = NewIncomingPath();
  MLPROF_TRY(RenameDurably(tree, doomed));
  return RemoveAll(doomed);
}

Result<Bytes> ContentStore::MoveTo(const fs::path& batch, const std::string& sha256) {
  const auto tree = MoveInto(batch / "trees", TreePath(sha256));
  if (!tree) return tree;
  const auto file = MoveInto(batch / "content", FilePath(sha256));
  if (!file) return file;
  return *tree + *file;
}

Result<bool> ContentStore::TakeBack(const std::string& sha256, const std::stop_token& stop) {
  const auto found = [&] {
    const auto lock = Lock();
    return quarantine_.Find(sha256);
  }();
  if (!found) return Fail(found.error());
  for (const fs::path& file : *found) {
    const auto digest = FileDigest(file, stop);
    if (!digest && digest.error().code() == ErrorCode::kCancelled) return Fail(digest.error());
    if (!digest || *digest != sha256) {
      LogError("contentDamaged",
               {{"file", file.string()},
                {"why", digest ? "its SHA-256 is another" : digest.error().message()}});
      continue;
    }
    const auto lock = Lock();
    if (HasFile(sha256)) break;  // it came in, or was taken back, meanwhile
    MLPROF_TRY(MakePrivate(FilePath(sha256).parent_path()));
    MLPROF_TRY(RenameDurably(file, FilePath(sha256)));
    break;
  }
  return HasFile(sha256);
}

Result<std::vector<std::string>> ContentStore::Digests() const {
  std::set<std::string> digests;
  std::error_code error;
  for (fs::directory_iterator prefix(files_, error), end; !error && prefix != end;
       prefix.increment(error)) {
    for (fs::directory_iterator file(prefix->path(), error); !error && file != end;
         file.increment(error)) {
      AddDigest(file->path(), digests);
    }
    if (error) break;
  }
  for (fs::directory_iterator tree(trees_, error), end; !error && tree != end;
       tree.increment(error)) {
    AddDigest(tree->path(), digests);
  }
  if (error) return Fail(FromErrno(error.value(), "listing the content store"));
  return std::vector<std::string>(digests.begin(), digests.end());
}

}  // namespace mlprof
