#include "server/storage/random_id.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "common/hash/sha256.h"

namespace mlprof::server {

std::string RandomId() {
  std::array<unsigned char, 16> bytes{};
  // Sixteen bytes come whole or not at all; only a signal before the kernel's pool is ready can
  // interrupt the call.
  ssize_t got = -1;
  do {
    got = getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  // A kernel that refuses would leave zeros, which anybody could guess.
  if (got != static_cast<ssize_t>(bytes.size())) std::abort();
  return ToHex(bytes);
}

}  // namespace mlprof::server
