#include "agent/copy_tree/copy_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "agent/copy_tree/copy_file.h"
#include "common/os/open_folder.h"

namespace mlprof::agent {
namespace {

namespace fs = std::filesystem;

// Packages nest to about 20 folders. An image layer is an archive that names each file by its whole
// path, and Linux takes paths of up to 4095 bytes: the rest is left for what stands before `to`.
constexpr int kDeepest = 64;
constexpr std::size_t kLongestPath = 3000;
// In an image layer a file whose name begins so says that the file named by the rest was removed.
constexpr std::string_view kRemovalMark = ".wh.";

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class TreeCopy {
 public:
  explicit TreeCopy(const CopyBounds& bounds) : bounds_(bounds) {}

  /// `path` names the folder in errors.
  Status Folder(UniqueFd from, int to, const std::string& path, int depth) {
    if (depth > kDeepest || path.size() > kLongestPath) {
      return Fail(ErrorCode::kTooLarge, "folders are nested too deeply: " + path.substr(0, 200));
    }
    const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(from.get()));
    if (!folder) return Fail(FromErrno(errno, "cannot read " + path));
    (void)from.Release();
    while (true) {
      errno = 0;
      const dirent* const entry = ::readdir(folder.get());
      if (entry == nullptr && errno != 0) return Fail(FromErrno(errno, "cannot read " + path));
      if (entry == nullptr) return {};
      const std::string name(entry->d_name);
      if (name == "." || name == "..") continue;
      MLPROF_TRY(Entry(::dirfd(folder.get()), to, name, path + "/" + name, depth));
    }
  }

  const CopyReport& report() const { return report_; }

 private:
  Status Entry(int from, int to, const std::string& name, const std::string& path, int depth) {
    struct stat status {};
    if (::fstatat(from, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return Fail(FromErrno(errno, "cannot see " + path));
    }
    const mode_t kind = status.st_mode & S_IFMT;
    const bool copied = kind == S_IFREG || kind == S_IFDIR || kind == S_IFLNK;
    if (!copied || name.starts_with(kRemovalMark)) {
      ++report_.left_out;
      return {};
    }
    MLPROF_TRY(Count(kind == S_IFDIR ? 0 : status.st_size));
    if (kind == S_IFLNK) return CopyLink(from, to, name, path, status);
    if (kind == S_IFREG) return CopyFile({from, name}, {to, name}, status, path);
    return Below(from, to, name, path, depth, status);
  }

  Status Count(std::int64_t bytes) {
    if (report_.entries >= bounds_.entries) {
      return Fail(ErrorCode::kTooLarge,
                  "there are more than " + std::to_string(bounds_.entries) + " files");
    }
    if (bytes > bounds_.bytes - report_.bytes) {
      return Fail(ErrorCode::kTooLarge,
                  "there are more than " + std::to_string(bounds_.bytes) + " bytes");
    }
    ++report_.entries;
    report_.bytes += bytes;
    return {};
  }

  static Status CopyLink(int from, int to, const std::string& name, const std::string& path,
                         const struct stat& status) {
    char target[PATH_MAX];
    const ssize_t length = ::readlinkat(from, name.c_str(), target, sizeof target - 1);
    if (length < 0) return Fail(FromErrno(errno, "cannot read the link " + path));
    target[length] = '\0';
    ::unlinkat(to, name.c_str(), 0);
    if (::symlinkat(target, to, name.c_str()) != 0) {
      return Fail(FromErrno(errno, "cannot make the link " + path));
    }
    const timespec times[2] = {status.st_atim, status.st_mtim};
    (void)::utimensat(to, name.c_str(), times, AT_SYMLINK_NOFOLLOW);
    return {};
  }

  Status Below(int from, int to, const std::string& name, const std::string& path, int depth,
               const struct stat& status) {
    UniqueFd source = OpenFolderAt(from, name.c_str());
    if (!source) return Fail(FromErrno(errno, "cannot read " + path));
    if (::mkdirat(to, name.c_str(), 0700) != 0 && errno != EEXIST) {
      return Fail(FromErrno(errno, "cannot make " + path));
    }
    const UniqueFd made = OpenFolderAt(to, name.c_str());
    if (!made) return Fail(FromErrno(errno, "cannot write to " + path));
    MLPROF_TRY(Folder(std::move(source), made.get(), path, depth + 1));
    return GiveRights(made.get(), status, path);
  }

  const CopyBounds bounds_;
  CopyReport report_;
};

Result<UniqueFd> Open(const fs::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return Fail(FromErrno(errno, "cannot open " + folder.string()));
  return fd;
}

}  // namespace

Result<CopyReport> CopyTree(const fs::path& from, const fs::path& to, const CopyBounds& bounds) {
  Result<UniqueFd> source = Open(from);
  if (!source) return Fail(source.error());
  std::error_code error;
  fs::create_directories(to, error);
  if (error) return Fail(FromErrno(error.value(), "cannot make " + to.string()));
  const Result<UniqueFd> made = Open(to);
  if (!made) return Fail(made.error());
  TreeCopy copy(bounds);
  MLPROF_TRY(copy.Folder(*std::move(source), made->get(), "", 0));
  if (::fchmod(made->get(), 0755) != 0) return Fail(FromErrno(errno, "opening up " + to.string()));
  return copy.report();
}

namespace {

std::optional<std::int64_t> Number(const char* text) {
  std::int64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [parsed, error] = std::from_chars(text, end, number);
  if (error != std::errc() || parsed != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

int RunCopyTree(int argc, char** argv) {
  const auto bytes = argc == 4 ? Number(argv[2]) : std::nullopt;
  const auto entries = argc == 4 ? Number(argv[3]) : std::nullopt;
  if (!bytes || !entries) {
    std::fputs("usage: mlprof-agent --copy-tree FROM TO BYTES ENTRIES\n", stderr);
    return 2;
  }
  const Result<CopyReport> report = CopyTree(argv[0], argv[1], {*bytes, *entries});
  if (!report) {
    std::fprintf(stderr, "mlprof-agent: %s\n", report.error().message().c_str());
    return 1;
  }
  std::printf("copied %lld files of %lld bytes, left out %lld\n",
              static_cast<long long>(report->entries), static_cast<long long>(report->bytes),
              static_cast<long long>(report->left_out));
  return 0;
}

}  // namespace mlprof::agent
