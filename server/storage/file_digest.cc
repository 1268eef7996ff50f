#include "server/storage/file_digest.h"

#include <fcntl.h>
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

}  // namespace mlprof::server
