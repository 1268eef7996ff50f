#include "server/storage/content_store.h"

#include <sys/stat.h>

#include "common/log/log.h"
#include "server/storage/durable_file.h"
#include "server/storage/file_digest.h"
#include "server/storage/random_id.h"

namespace mlprof::server {
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

Status Rename(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return {};
  return Fail(FromErrno(error.value(), "renaming " + from.string() + " to " + to.string()));
}

// Moves a file or tree into a folder, which is made where it is missing, and says how much that
// was. Not synced to the disk: what a crash undoes, the next start does again.
Result<Bytes> MoveInto(const fs::path& folder, const fs::path& from) {
  std::error_code error;
  if (!fs::exists(from, error)) return Bytes(0);
  const Bytes size = SizeOfTree(from);
  MLPROF_TRY(MakePrivate(folder));
  MLPROF_TRY(Rename(from, folder / from.filename()));
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

Status ContentStore::PutFile(const fs::path& file, const ContentClaim& claim) {
  // Over one that is there: what came in last is known to have the digest.
  const fs::path target = FilePath(claim.sha256());
  MLPROF_TRY(SyncPath(file));
  MLPROF_TRY(MakePrivate(target.parent_path()));
  MLPROF_TRY(SyncPath(files_));
  return RenameDurably(file, target);
}

Status ContentStore::PutTree(const fs::path& folder, const ContentClaim& claim) {
  const fs::path target = TreePath(claim.sha256());
  {
    const auto lock = Lock();
    std::error_code error;
    if (!fs::exists(target, error)) MLPROF_TRY(Rename(folder, target));
  }
  MLPROF_TRY(SyncPath(trees_));
  return RemoveAll(folder);
}

Status ContentStore::ReplaceTree(const fs::path& folder, const ContentClaim& claim) {
  const fs::path target = TreePath(claim.sha256());
  const fs::path old = NewIncomingPath();
  {
    const auto lock = Lock();
    std::error_code error;
    if (fs::exists(target, error)) MLPROF_TRY(Rename(target, old));
    MLPROF_TRY(Rename(folder, target));
  }
  return Discard({old});
}

bool ContentStore::HasFile(const std::string& sha256) const {
  std::error_code error;
  return fs::is_regular_file(FilePath(sha256), error);
}

Result<std::vector<fs::path>> ContentStore::TakeOut(const std::string& sha256) {
  std::vector<fs::path> taken_out;
  for (const fs::path& path : {FilePath(sha256), TreePath(sha256)}) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    taken_out.push_back(NewIncomingPath());
    MLPROF_TRY(Rename(path, taken_out.back()));
  }
  return taken_out;
}

Status ContentStore::RemoveTree(const std::string& sha256, std::uint64_t ended_claims) {
  const fs::path taken_out = NewIncomingPath();
  {
    const auto lock = Lock();
    std::error_code error;
    const bool wanted = IsClaimed(sha256) || ended_claims_ != ended_claims;
    if (wanted || !fs::exists(TreePath(sha256), error)) return {};
    MLPROF_TRY(Rename(TreePath(sha256), taken_out));
  }
  return Discard({taken_out});
}

Status ContentStore::Discard(const std::vector<fs::path>& taken_out) {
  // A tree half removed must not pass for a whole one after a crash: its name goes first.
  MLPROF_TRY(SyncPath(trees_));
  for (const fs::path& path : taken_out) MLPROF_TRY(RemoveAll(path));
  return {};
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
    const fs::path folder = FilePath(sha256).parent_path();
    {
      const auto lock = Lock();
      if (HasFile(sha256)) break;  // it came in, or was taken back, meanwhile
      MLPROF_TRY(MakePrivate(folder));
      MLPROF_TRY(Rename(file, FilePath(sha256)));
    }
    MLPROF_TRY(SyncPath(folder));
    break;
  }
  return HasFile(sha256);
}

Status ContentStore::PruneQuarantine(Timestamp now, const QuarantineLimits& limits) {
  return quarantine_.Prune(now, limits, [this](const fs::path& batch) -> Status {
    const fs::path taken_out = NewIncomingPath();
    {
      const auto lock = Lock();
      std::error_code error;
      if (!fs::exists(batch, error)) return {};  // somebody else prunes too
      MLPROF_TRY(Rename(batch, taken_out));
    }
    return Discard({taken_out});
  });
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

ContentClaim::ContentClaim(ContentStore& store, std::string sha256)
    : store_(store), sha256_(std::move(sha256)) {
  const auto lock = store_.Lock();
  store_.claims_.insert(sha256_);
}

ContentClaim::~ContentClaim() {
  const auto lock = store_.Lock();
  store_.claims_.erase(store_.claims_.find(sha256_));
  ++store_.ended_claims_;
}

}  // namespace mlprof::server
