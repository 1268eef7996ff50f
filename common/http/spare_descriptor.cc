#include "common/http/spare_descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>

namespace mlprof {

void SpareDescriptor::Keep() {
  if (!spare_) spare_.Reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// The client's socket, shut down, becomes the next spare descriptor. Closed first and opened anew
// it might go to another thread in between.
bool SpareDescriptor::TurnAway(int listening, std::string_view words) {
  spare_.Reset();
  spare_.Reset(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool accepted = static_cast<bool>(spare_);
  if (accepted && !words.empty()) {
    [[maybe_unused]] const ssize_t ignored =
        ::send(spare_.get(), words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  if (accepted) ::shutdown(spare_.get(), SHUT_RDWR);
  Keep();
  return accepted;
}

}  // namespace mlprof
