#include "server/registry/tree_comparison.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mlprof::server {

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
