#include "server/runtime/agent_handshake.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "common/agent_protocol/codec.h"

namespace mlprof {
namespace {

using agent_protocol::Frame;
using agent_protocol::FrameDecoder;

constexpr std::chrono::milliseconds kLookAgain{100};

Status Prepare(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
      ::fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
    return Fail(FromErrno(errno, "preparing the agent's socket"));
  }
  return {};
}

// Reads until one whole frame is there.
Result<Frame> AwaitFrame(int fd, FrameDecoder& decoder, const Patience& patience) {
  while (true) {
    auto frame = decoder.Next();
    if (!frame) return Fail(frame.error());
    if (frame->has_value()) return **frame;
    if (patience.stop.stop_requested()) {
      return Fail(Cancelled("stopped while waiting for the agent's hello"));
    }
    pollfd readable{fd, POLLIN, 0};
    const auto slice = std::min(patience.deadline.LeftMs(), kLookAgain);
    const int ready = ::poll(&readable, 1, static_cast<int>(slice.count()));
    if (ready == 0 && patience.deadline.Passed()) {
      return Fail(DeadlineExceeded("the agent connected but did not say hello in time"));
    }
    if (ready <= 0) continue;
    const auto space = decoder.Space();
    const ssize_t n = ::recv(fd, space.data(), space.size(), 0);
    if (n == 0) return Fail(ClosedByAgent());
    if (n > 0) {
      decoder.Commit(static_cast<std::size_t>(n));
    } else if (errno != EAGAIN && errno != EINTR) {
      return Fail(FromErrno(errno, "reading from the agent"));
    }
  }
}

}  // namespace

Error ClosedByAgent() { return Unavailable("the agent closed its connection"); }

Result<agent_protocol::Hello> AwaitHello(int fd, FrameDecoder& decoder, const Patience& patience) {
  MLPROF_TRY(Prepare(fd));
  const auto frame = AwaitFrame(fd, decoder, patience);
  if (!frame) return Fail(frame.error());
  if (frame->type != agent_protocol::FrameType::kHello) {
    return Fail(InvalidArgument("the agent did not begin with hello"));
  }
  auto hello = agent_protocol::DecodeHello(frame->payload);
  if (!hello) return Fail(hello.error());
  if (hello->version != agent_protocol::kVersion) {
    return Fail(InvalidArgument("the agent speaks protocol " + std::to_string(hello->version) +
                                ", this controller " + std::to_string(agent_protocol::kVersion)));
  }
  return hello;
}

}  // namespace mlprof
