#include "server/runtime/outgoing_bytes.h"

#include <sys/socket.h>

#include <cerrno>

namespace mlprof::server {
namespace {

constexpr std::size_t kKeptCapacity = 1u << 20;  // a buffer grown beyond this is given back

}  // namespace

void OutgoingBytes::WriteTo(int fd) {
  while (!empty()) {
    const ssize_t n = ::send(fd, bytes_.data() + written_, size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      written_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      break;
    }
  }
  Clear();
}

void OutgoingBytes::Clear() {
  bytes_.clear();
  written_ = 0;
  if (bytes_.capacity() > kKeptCapacity) bytes_.shrink_to_fit();
}

}  // namespace mlprof::server
