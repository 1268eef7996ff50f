#include "common/os/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "common/os/open_folder.h"

namespace mlprof {
namespace {

// How many levels of folders stay open. Above that the upper ones are closed, and opened again
// through "..", which must still be the folder it was.
constexpr std::size_t kLevelsOpen = 16;
// give_up may ask a disk for its free space: so it is called once for so many entries.
constexpr std::int64_t kEntriesPerLookAround = 256;

struct Level {
  OpenFolder folder;  // null where it was closed to go deeper
  dev_t device;
  ino_t inode;
  long position = 0;  // where to go on once it is open again
};

class Walker {
 public:
  Walker(const WalkBounds& bounds, const std::function<void(const WalkedEntry&)>& visit)
      : bounds_(bounds), visit_(visit) {}

  Status Begin(const std::filesystem::path& root) {
    UniqueFd fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd || !Descend(std::move(fd))) {
      return Fail(FromErrno(errno, "cannot read the folder " + root.string()));
    }
    return {};
  }

  Walk Run() {
    while (!levels_.empty() && walk_.end == WalkEnd::kComplete) Step();
    return walk_;
  }

 private:
  void Step() {
    const dirent* const entry = ::readdir(levels_.back().folder.get());
    if (entry == nullptr) return Ascend();
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") return;
    const int folder = ::dirfd(levels_.back().folder.get());
    struct stat status {};
    if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!Count()) return;
    visit_({folder, entry->d_name, status});
    if (S_ISDIR(status.st_mode)) Enter(folder, entry->d_name);
  }

  bool Count() {
    if (walk_.entries == bounds_.entries) {
      walk_.end = WalkEnd::kTooManyEntries;
    } else if (walk_.entries % kEntriesPerLookAround == 0) {
      LookAround();
    }
    if (walk_.end == WalkEnd::kComplete) ++walk_.entries;
    return walk_.end == WalkEnd::kComplete;
  }

  void LookAround() {
    if (bounds_.deadline.Passed()) {
      walk_.end = WalkEnd::kOutOfTime;
    } else if (bounds_.give_up && bounds_.give_up()) {
      walk_.end = WalkEnd::kGivenUp;
    }
  }

  void Enter(int folder, const char* name) {
    UniqueFd fd = OpenFolderAt(folder, name);
    if (!fd && errno == ENOENT) return;
    if (!fd || !Descend(std::move(fd))) ++walk_.unentered;
  }

  bool Descend(UniqueFd fd) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return false;
    OpenFolder folder = ReadFolder(std::move(fd));
    if (!folder) return false;
    if (levels_.size() > kLevelsOpen) {
      Level& above = levels_.back();
      above.position = ::telldir(above.folder.get());
      above.folder.reset();
    }
    levels_.push_back({std::move(folder), status.st_dev, status.st_ino});
    return true;
  }

  void Ascend() {
    const OpenFolder done = std::move(levels_.back().folder);
    levels_.pop_back();
    if (levels_.empty() || levels_.back().folder || Reopen(levels_.back(), ::dirfd(done.get()))) {
      return;
    }
    walk_.moved_meanwhile = true;
    while (!levels_.empty() && !levels_.back().folder) levels_.pop_back();
  }

  static bool Reopen(Level& level, int below) {
    UniqueFd fd(::openat(below, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0) return false;
    if (status.st_dev != level.device || status.st_ino != level.inode) return false;
    level.folder = ReadFolder(std::move(fd));
    if (level.folder) ::seekdir(level.folder.get(), level.position);
    return level.folder != nullptr;
  }

  const WalkBounds& bounds_;
  const std::function<void(const WalkedEntry&)>& visit_;
  std::vector<Level> levels_;
  Walk walk_;
};

}  // namespace

Result<Walk> WalkTree(const std::filesystem::path& root, const WalkBounds& bounds,
                      const std::function<void(const WalkedEntry&)>& visit) {
  Walker walker(bounds, visit);
  MLPROF_TRY(walker.Begin(root));
  return walker.Run();
}

}  // namespace mlprof
