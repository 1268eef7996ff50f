#include "agent/page_cache/drop_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "common/os/unique_fd.h"

namespace mlprof::agent {
namespace {

using Clock = std::chrono::steady_clock;

// Weights and libraries, which are what a start reads most of, are larger. Chosen, not measured.
constexpr off_t kSmallestFile = 256 << 10;
constexpr std::array<std::string_view, 3> kNotFiles = {"/proc", "/sys", "/dev"};
constexpr std::array<std::string_view, 12> kSmallNames = {
    ".py", ".pyc", ".pyi", ".h", ".hpp", ".txt", ".md", ".rst", ".pl", ".html", ".sh", ".conf"};

class Walk {
 public:
  explicit Walk(Clock::time_point end) : end_(end) {}

  void Below(std::string folder) {
    file_system_.reset();
    folders_.push_back(std::move(folder));
    while (!folders_.empty() && InTime()) {
      const std::string next = std::move(folders_.back());
      folders_.pop_back();
      Visit(next);
    }
    folders_.clear();
  }
  Dropped dropped() const { return dropped_; }

 private:
  bool InTime() {
    dropped_.in_time = dropped_.in_time && Clock::now() < end_;
    return dropped_.in_time;
  }

  void Visit(const std::string& folder) {
    if (std::find(kNotFiles.begin(), kNotFiles.end(), folder) != kNotFiles.end()) return;
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(fd), &::closedir);
    struct stat status {};
    if (!entries || ::fstat(fd, &status) != 0) return;
    // Compared for folders only: on overlayfs a file may show the device of the layer it lies in.
    if (status.st_dev != file_system_.value_or(status.st_dev)) return;
    file_system_ = status.st_dev;
    while (const dirent* entry = ::readdir(entries.get())) {
      if (!InTime()) return;
      Take(fd, folder, *entry);
    }
  }

  void Take(int fd, const std::string& folder, const dirent& entry) {
    const std::string_view name = entry.d_name;
    if (name == "." || name == "..") return;
    unsigned char type = entry.d_type;
    struct stat status {};
    if (type == DT_UNKNOWN && ::fstatat(fd, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      type = static_cast<unsigned char>(IFTODT(status.st_mode));
    }
    if (type == DT_DIR) {
      folders_.push_back((folder == "/" ? "" : folder) + "/" + std::string(name));
    } else if (type == DT_REG && !SmallByName(name)) {
      Drop(fd, entry.d_name);
    }
  }

  void Drop(int folder, const char* name) {
    struct stat status {};
    if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISREG(status.st_mode) || status.st_size < kSmallestFile) return;
    const UniqueFd file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) return;
    dropped_.files += ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) == 0 ? 1 : 0;
  }

  const Clock::time_point end_;
  std::vector<std::string> folders_;  // still to be visited
  std::optional<dev_t> file_system_;
  Dropped dropped_;
};

}  // namespace

bool SmallByName(std::string_view name) {
  return std::any_of(kSmallNames.begin(), kSmallNames.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

Dropped DropCache(const std::vector<std::string>& folders, std::chrono::milliseconds at_most) {
  Walk walk(Clock::now() + at_most);
  for (const std::string& folder : folders) walk.Below(folder);
  return walk.dropped();
}

}  // namespace mlprof::agent
