#include "tests/fakes/failing_sync.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>

namespace {

std::mutex mutex;
std::string ending;

enum class Latch { kNone, kReady, kHolds };
std::condition_variable latch_changed;
Latch latch = Latch::kNone;
std::string held_ending;

bool EndsWith(int fd, const std::string& name_ending) {
  if (name_ending.empty()) return false;
  std::array<char, 4096> name{};
  const ssize_t size =
      readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), name.data(), name.size());
  return size > 0 &&
         std::string_view(name.data(), static_cast<std::size_t>(size)).ends_with(name_ending);
}

bool Fails(int fd) {
  const std::scoped_lock lock(mutex);
  return EndsWith(fd, ending);
}

void Hold(int fd) {
  std::unique_lock lock(mutex);
  if (latch != Latch::kReady || !EndsWith(fd, held_ending)) return;
  latch = Latch::kHolds;
  latch_changed.notify_all();
  latch_changed.wait(lock, [] { return latch == Latch::kNone; });
}

int SyncBy(const char* function, int fd) {
  Hold(fd);
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

namespace mlprof::server {

FailingSync::FailingSync(std::string name_ending) {
  const std::scoped_lock lock(mutex);
  ending = std::move(name_ending);
}

FailingSync::~FailingSync() {
  const std::scoped_lock lock(mutex);
  ending.clear();
}

HeldSync::HeldSync(std::string name_ending) {
  const std::scoped_lock lock(mutex);
  held_ending = std::move(name_ending);
  latch = Latch::kReady;
}

bool HeldSync::Await() {
  std::unique_lock lock(mutex);
  return latch_changed.wait_for(lock, std::chrono::seconds(20),
                                [] { return latch == Latch::kHolds; });
}

void HeldSync::Release() {
  const std::scoped_lock lock(mutex);
  latch = Latch::kNone;
  latch_changed.notify_all();
}

}  // namespace mlprof::server
