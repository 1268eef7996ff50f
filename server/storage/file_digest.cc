#include "server/storage/file_digest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/hash/sha256.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kBuffer = 1 << 20;
constexpr std::size_t kDigestLength = 64;

}  // namespace

Result<std::string> FileDigest(const std::filesystem::path& file, const std::stop_token& stop) {
  const FileDescriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return Fail(FromErrno(errno, "opening " + file.string()));
  Sha256 sha;
  std::vector<char> buffer(kBuffer);
  while (!stop.stop_requested()) {
    const ssize_t got = read(fd.get(), buffer.data(), buffer.size());
    if (got == 0) return sha.Hex();
    if (got > 0) sha.Add({buffer.data(), static_cast<std::size_t>(got)});
    if (got < 0 && errno != EINTR) return Fail(FromErrno(errno, "reading " + file.string()));
  }
  return Fail(Cancelled("reading " + file.string() + " was stopped"));
}

bool IsDigest(const std::string& text) {
  return text.size() == kDigestLength && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

namespace {

constexpr std::size_t kMostKnown =
    4096;  // half a MiB of memory; one that is forgotten is read again
// The kernel takes the times of files from a clock that moves with its tick (up to 10 ms): a file
// that is changed twice within one tick keeps its time. Five ticks are waited.
constexpr std::int64_t kTickNs = 50'000'000;

std::int64_t Nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<FileFacts> FactsOf(const std::filesystem::path& file) {
  struct stat facts {};
  if (lstat(file.c_str(), &facts) != 0) return std::nullopt;
  return FileFacts{facts.st_dev, facts.st_ino, facts.st_size, Nanoseconds(facts.st_mtim),
                   Nanoseconds(facts.st_ctim)};
}

bool KnownFiles::Knows(const std::string& sha256, const FileFacts& facts) const {
  const std::scoped_lock lock(mutex_);
  const auto known = known_.find(sha256);
  return known != known_.end() && known->second == facts;
}

void KnownFiles::Remember(const std::string& sha256, const FileFacts& facts,
                          std::int64_t began_ns) {
  if (began_ns - facts.changed_ns < kTickNs || began_ns - facts.modified_ns < kTickNs) return;
  const std::scoped_lock lock(mutex_);
  if (known_.size() >= kMostKnown && !known_.contains(sha256)) known_.erase(known_.begin());
  known_[sha256] = facts;
}

Result<std::unique_lock<std::timed_mutex>> KnownFiles::Turn(std::chrono::milliseconds most) {
  std::unique_lock turn(turn_, most);
  if (turn.owns_lock()) return turn;
  return Fail(Unavailable("another stored file is being compared with its SHA-256; try again"));
}

}  // namespace mlprof::server
