#include "common/http/spool_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace mlprof {

Result<std::unique_ptr<SpoolFile>> SpoolFile::Create(const std::filesystem::path& directory) {
  std::string name = (directory / "upload-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0)
    return Fail(FromErrno(errno, "cannot spool an upload in " + directory.string()));
  return std::unique_ptr<SpoolFile>(new SpoolFile(descriptor, name));
}

SpoolFile::SpoolFile(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor),
      path_(new std::filesystem::path(std::move(path)), [](const std::filesystem::path* file) {
        ::unlink(file->c_str());  // ENOENT: its keeper moved it away
        delete file;
      }) {}

SpoolFile::~SpoolFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status SpoolFile::Append(std::string_view bytes) {
  sha256_.Add(bytes);
  size_ += Bytes(static_cast<std::int64_t>(bytes.size()));
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Fail(FromErrno(errno, "cannot write an upload"));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<SpooledBody> SpoolFile::Finish() {
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) return Fail(FromErrno(errno, "cannot write an upload"));
  return SpooledBody{std::move(path_), size_, sha256_.Hex()};
}

}  // namespace mlprof
