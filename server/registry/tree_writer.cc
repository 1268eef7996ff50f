#include "server/registry/tree_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace mlprof::server
