#include "server/devices/xspace/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "common/os/unique_fd.h"

namespace mlprof::server {

Result<MappedFile> MappedFile::Open(const std::filesystem::path& file) {
  const UniqueFd descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return Fail(FromErrno(errno, "opening " + file.string()));
  struct stat facts {};
  if (fstat(descriptor.get(), &facts) != 0) {
    return Fail(FromErrno(errno, "the size of " + file.string()));
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return MappedFile("", 0);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (data == MAP_FAILED) return Fail(FromErrno(errno, "mapping " + file.string()));
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(other.data_), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (size_ > 0) munmap(const_cast<char*>(data_), size_);
}

}  // namespace mlprof::server
