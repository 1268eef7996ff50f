#include "common/os/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>

#include "common/os/open_folder.h"

namespace mlprof {
namespace {

bool IsSelfOrParent(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

// Gives its owner all rights to a folder, which its maker may have taken away.
void TakeRights(int folder, const char* name) {
  ::fchmodat(folder, name, 0700, AT_SYMLINK_NOFOLLOW);
}

// Empties a tree of any depth from its root alone: of each folder in the root the content is
// removed, and a folder in it that holds something itself is moved up into the root.
class Emptying {
 public:
  Emptying(DIR* root, const Patience& patience) : root_(root), patience_(patience) {}

  Status Run() {
    ::fchmod(::dirfd(root_), 0700);
    std::int64_t before = -1;
    while (removed_ != before && !GivenUp()) {
      before = removed_;
      errno_.reset();
      Pass(root_, [this](const char* name) { RemoveFromRoot(name); });
    }
    if (patience_.stop.stop_requested()) return Fail(Cancelled("stopped while removing it"));
    if (GivenUp()) return Fail(DeadlineExceeded("there was too much to remove in time"));
    if (errno_) return Fail(FromErrno(*errno_, "something in it could not be removed"));
    return {};
  }

 private:
  bool GivenUp() const { return patience_.stop.stop_requested() || patience_.deadline.Passed(); }

  template <class Remove>
  void Pass(DIR* folder, const Remove& remove) {
    ::rewinddir(folder);
    while (const dirent* const entry = ::readdir(folder)) {
      if (GivenUp()) return;
      if (!IsSelfOrParent(entry->d_name)) remove(entry->d_name);
    }
  }

  // errno says why not: ENOTEMPTY for a folder that holds something.
  bool RemoveOne(int folder, const char* name) {
    if (::unlinkat(folder, name, 0) != 0) {
      if (errno != EISDIR && errno != EPERM) return errno == ENOENT;
      if (::unlinkat(folder, name, AT_REMOVEDIR) != 0) {
        if (errno == EEXIST) errno = ENOTEMPTY;
        return errno == ENOENT;
      }
    }
    ++removed_;
    return true;
  }

  void RemoveFromRoot(const char* name) {
    const int root = ::dirfd(root_);
    if (RemoveOne(root, name)) return;
    if (errno != ENOTEMPTY) return Note(errno);
    UniqueFd fd = OpenFolderAt(root, name);
    if (!fd && errno == EACCES) {
      TakeRights(root, name);
      fd = OpenFolderAt(root, name);
    }
    const OpenFolder folder = ReadFolder(std::move(fd));
    if (!folder) return Note(errno);
    ::fchmod(::dirfd(folder.get()), 0700);
    std::int64_t before = -1;
    while (removed_ != before && !GivenUp()) {
      before = removed_;
      Pass(folder.get(), [&](const char* inner) { RemoveOrMoveUp(::dirfd(folder.get()), inner); });
    }
    if (!RemoveOne(root, name)) Note(errno);
  }

  void RemoveOrMoveUp(int folder, const char* name) {
    if (RemoveOne(folder, name)) return;
    if (errno != ENOTEMPTY || !MoveUp(folder, name)) Note(errno);
  }

  bool MoveUp(int folder, const char* name) {
    bool tried_rights = false;
    while (true) {
      char up[32];
      std::snprintf(up, sizeof up, "up-%lld", static_cast<long long>(moved_++));
      if (::renameat(folder, name, ::dirfd(root_), up) == 0) {
        ++removed_;
        return true;
      }
      const bool taken = errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR;
      if (!taken && (errno != EACCES || tried_rights)) return false;
      // Moving a folder needs the right to write to it, because its ".." changes.
      if (!taken) TakeRights(folder, name);
      tried_rights = tried_rights || !taken;
    }
  }

  void Note(int error) {
    if (!errno_) errno_ = error;
  }

  DIR* const root_;
  const Patience& patience_;
  std::int64_t removed_ = 0;  // or moved up
  std::int64_t moved_ = 0;
  std::optional<int> errno_;  // of the first that could not be removed
};

Error Named(const std::filesystem::path& path, const Error& error) {
  return error.WithContext("cannot remove " + path.string());
}

}  // namespace

Status RemoveTree(const std::filesystem::path& path, const Patience& patience) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) {
    return Fail(FromErrno(errno, "cannot remove " + path.string()));
  }
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::open(path.c_str(), flags));
  if (!fd && errno == EACCES) {
    TakeRights(AT_FDCWD, path.c_str());
    fd.Reset(::open(path.c_str(), flags));
  }
  const OpenFolder root = ReadFolder(std::move(fd));
  if (!root) return Fail(FromErrno(errno, "cannot remove " + path.string()));
  if (const Status emptied = Emptying(root.get(), patience).Run(); !emptied) {
    return Fail(Named(path, emptied.error()));
  }
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT) {
    return Fail(FromErrno(errno, "cannot remove " + path.string()));
  }
  return {};
}

}  // namespace mlprof
