#include "server/storage/random_id.h"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "common/hash/sha256.h"

namespace mlprof {

std::string RandomId() {
  std::array<unsigned char, 16> bytes{};
  // Sixteen bytes come whole or not at all; only a signal before the kernel's pool is ready can
  // interrupt the call.
  while (getrandom(bytes.data(), bytes.size(), 0) < 0 && errno == EINTR) {
  }
  return ToHex(bytes);
}

}  // namespace mlprof
