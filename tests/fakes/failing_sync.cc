#include "tests/fakes/failing_sync.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <string_view>

namespace {

std::mutex mutex;
std::string ending;

bool Fails(int fd) {
  const std::scoped_lock lock(mutex);
  if (ending.empty()) return false;
  std::array<char, 4096> name{};
  const ssize_t size =
      readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), name.data(), name.size());
  return size > 0 &&
         std::string_view(name.data(), static_cast<std::size_t>(size)).ends_with(ending);
}

int SyncBy(const char* function, int fd) {
  if (Fails(fd)) {
    errno = EIO;
    return -1;
  }
  return reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, function))(fd);
}

}  // namespace

// SQLite finds these before the C library's.
extern "C" int fsync(int fd) { return SyncBy("fsync", fd); }
extern "C" int fdatasync(int fd) { return SyncBy("fdatasync", fd); }

namespace mlprof {

FailingSync::FailingSync(std::string name_ending) {
  const std::scoped_lock lock(mutex);
  ending = std::move(name_ending);
}

FailingSync::~FailingSync() {
  const std::scoped_lock lock(mutex);
  ending.clear();
}

}  // namespace mlprof
