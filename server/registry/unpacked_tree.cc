#include "server/registry/unpacked_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/tar/tar_path.h"

namespace mlprof::server {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Error WriteError(const std::string& path) { return FromErrno(errno, "unpacking " + Quoted(path)); }

/// Opens `path`, a safe relative one, below `root`, one component at a time.
FileDescriptor OpenDirectoryBelow(int root, const std::string& path) {
  FileDescriptor at(openat(root, ".", kDirectoryFlags));
  std::size_t begin = 0;
  while (at && begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    at = FileDescriptor(openat(at.get(), path.substr(begin, end - begin).c_str(), kDirectoryFlags));
    begin = end + 1;
  }
  return at;
}

}  // namespace

Result<TreeWriter> TreeWriter::Create(const std::filesystem::path& root) {
  if (mkdir(root.c_str(), 0755) != 0) return Fail(FromErrno(errno, "creating " + root.string()));
  FileDescriptor fd(open(root.c_str(), kDirectoryFlags));
  if (!fd || fchmod(fd.get(), 0755) != 0) {
    return Fail(FromErrno(errno, "opening " + root.string()));
  }
  return TreeWriter(std::move(fd));
}

Result<const FileDescriptor*> TreeWriter::OpenParent(const std::string& path, std::string& name) {
  const std::size_t slash = path.rfind('/');
  name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (slash == std::string::npos) return &root_;
  const std::string parent = path.substr(0, slash);
  if (!parent_ || parent != parent_path_) {
    parent_ = OpenDirectoryBelow(root_.get(), parent);
    if (!parent_) return Fail(WriteError(path));
    parent_path_ = parent;
  }
  return &parent_;
}

Status TreeWriter::MakeDirectory(const std::string& path) {
  std::string name;
  MLPROF_LET(parent, OpenParent(path, name));
  if (mkdirat(parent->get(), name.c_str(), 0755) != 0) return Fail(WriteError(path));
  const FileDescriptor made(openat(parent->get(), name.c_str(), kDirectoryFlags));
  if (!made || fchmod(made.get(), 0755) != 0) return Fail(WriteError(path));
  directories_.push_back(path);
  return {};
}

Status TreeWriter::BeginFile(const std::string& path) {
  std::string name;
  MLPROF_LET(parent, OpenParent(path, name));
  file_ = FileDescriptor(openat(parent->get(), name.c_str(),
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file_ || fchmod(file_.get(), 0644) != 0) return Fail(WriteError(path));
  file_path_ = path;
  return {};
}

Status TreeWriter::Write(std::span<const char> bytes) {
  return WriteAll(file_.get(), {bytes.data(), bytes.size()});
}

Status TreeWriter::EndFile() {
  if (fsync(file_.get()) != 0) return Fail(WriteError(file_path_));
  file_ = FileDescriptor();
  return {};
}

Status TreeWriter::Finish() {
  for (const std::string& path : directories_) {
    const FileDescriptor directory = OpenDirectoryBelow(root_.get(), path);
    if (!directory || fsync(directory.get()) != 0) return Fail(WriteError(path));
  }
  if (fsync(root_.get()) != 0) return Fail(WriteError("."));
  return {};
}

namespace fs = std::filesystem;

Status TreeComparison::MakeDirectory(const std::string& path) {
  ++entries_;
  std::error_code error;
  same_ = same_ && fs::symlink_status(root_ / path, error).type() == fs::file_type::directory;
  return {};
}

Status TreeComparison::BeginFile(const std::string& path) {
  ++entries_;
  if (!same_) return {};
  file_ = FileDescriptor(open((root_ / path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  same_ = static_cast<bool>(file_);
  return {};
}

Status TreeComparison::Write(std::span<const char> bytes) {
  read_.resize(std::max(read_.size(), bytes.size()));
  while (same_ && !bytes.empty()) {
    const ssize_t got = read(file_.get(), read_.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    const auto size = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    same_ = got > 0 && std::equal(bytes.begin(), bytes.begin() + got, read_.begin());
    bytes = bytes.subspan(size);
  }
  return {};
}

Status TreeComparison::EndFile() {
  char more = 0;
  same_ = same_ && read(file_.get(), &more, 1) == 0;
  file_ = FileDescriptor();
  return {};
}

bool TreeComparison::Same() const {
  std::int64_t there = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(root_, error), end; !error && entry != end;
       entry.increment(error)) {
    ++there;
  }
  return same_ && !error && there == entries_;
}

}  // namespace mlprof::server
