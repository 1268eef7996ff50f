#include "client/src/random_key.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <random>
#include <span>

#include "common/hash/sha256.h"

namespace mlprof::client {

std::string RandomUuid() {
  std::random_device random;
  std::array<unsigned char, 16> bytes{};
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random() & 0xffU);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  std::string out = ToHex(bytes);
  for (const std::size_t place : {8U, 13U, 18U, 23U}) out.insert(place, "-");
  return out;
}

std::string RandomSecret() {
  std::array<unsigned char, 32> bytes{};
  // So few bytes come whole or not at all; only a signal before the kernel's pool is ready can
  // interrupt the call.
  ssize_t got = -1;
  do {
    got = getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  // A kernel that refuses would leave zeros, which anybody could guess.
  if (got != static_cast<ssize_t>(bytes.size())) std::abort();
  return "mlp_" + ToHex(bytes);
}

}  // namespace mlprof::client
