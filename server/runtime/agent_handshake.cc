#include "server/runtime/agent_handshake.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "common/agent_protocol/codec.h"
#include "common/time/monotonic_clock.h"

namespace mlprof::server {
namespace {

using agent_protocol::Frame;
using agent_protocol::FrameDecoder;

constexpr std::chrono::milliseconds kLookAgain{100};
// The fastest of them is used: the others had to wait for something.
constexpr std::uint32_t kClockProbes = 8;

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
    MLPROF_LET(frame, decoder.Next());
    if (frame.has_value()) return *frame;
    if (patience.stop.stop_requested()) {
      return Fail(Cancelled("stopped while waiting for the agent's first words"));
    }
    pollfd readable{fd, POLLIN, 0};
    const auto slice = std::min(patience.deadline.LeftMs(), kLookAgain);
    const int ready = ::poll(&readable, 1, static_cast<int>(slice.count()));
    if (ready == 0 && patience.deadline.Passed()) {
      return Fail(DeadlineExceeded("the agent connected but did not introduce itself in time"));
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

Status SendProbe(int fd, std::uint32_t number) {
  std::string bytes;
  agent_protocol::Append(bytes, agent_protocol::ClockProbe{number});
  // A few bytes on a connection that has carried none yet: they always fit.
  const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n == static_cast<ssize_t>(bytes.size())) return {};
  return Fail(n < 0 ? FromErrno(errno, "asking the agent for its clock") : ClosedByAgent());
}

Result<std::chrono::nanoseconds> AwaitReading(int fd, FrameDecoder& decoder, std::uint32_t number,
                                              const Patience& patience) {
  MLPROF_LET(frame, AwaitFrame(fd, decoder, patience));
  if (frame.type != agent_protocol::FrameType::kClockReading) {
    return Fail(InvalidArgument("the agent did not say what its clock shows"));
  }
  MLPROF_LET(reading, agent_protocol::DecodeClockReading(frame.payload));
  if (reading.number == number) return reading.at;
  return Fail(InvalidArgument("the agent read its clock for another probe"));
}

}  // namespace

Error ClosedByAgent() { return Unavailable("the agent closed its connection"); }

Result<agent_protocol::Hello> AwaitHello(int fd, FrameDecoder& decoder, const Patience& patience) {
  MLPROF_TRY(Prepare(fd));
  MLPROF_LET(frame, AwaitFrame(fd, decoder, patience));
  if (frame.type != agent_protocol::FrameType::kHello) {
    return Fail(InvalidArgument("the agent did not begin with hello"));
  }
  auto hello = agent_protocol::DecodeHello(frame.payload);
  if (!hello) return Fail(hello.error());
  if (hello->version != agent_protocol::kVersion) {
    return Fail(InvalidArgument("the agent speaks protocol " + std::to_string(hello->version) +
                                ", this controller " + std::to_string(agent_protocol::kVersion) +
                                ": install mlprof-agent and mlprof-server of one version"));
  }
  return hello;
}

Result<ClockOffset> MeasureClockOffset(int fd, FrameDecoder& decoder, const Patience& patience) {
  const MonotonicClock& clock = MonotonicClock::System();
  std::vector<ClockExchange> exchanges;
  for (std::uint32_t number = 0; number < kClockProbes; ++number) {
    const auto asked = clock.Now();
    MLPROF_TRY(SendProbe(fd, number));
    MLPROF_LET(read, AwaitReading(fd, decoder, number, patience));
    exchanges.push_back({asked, read, clock.Now()});
  }
  return EstimateClockOffset(exchanges);
}

}  // namespace mlprof::server
