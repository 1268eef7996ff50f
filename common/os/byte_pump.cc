#include "common/os/byte_pump.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "common/time/deadline.h"

namespace mlprof {
namespace {

constexpr std::chrono::milliseconds kLookAgain{250};
constexpr std::size_t kBuffer = 64 << 10;

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

class Direction {
 public:
  Direction(int from, int to) : from_(from), to_(to), buffer_(kBuffer) {}

  bool over() const { return over_; }
  bool reads() const { return !over_ && Empty(); }
  bool writes() const { return !over_ && !Empty(); }

  /// Both return false where an end is gone.
  bool Read() {
    const ssize_t count = ::recv(from_, buffer_.data(), buffer_.size(), 0);
    if (count < 0) return WouldBlock();
    if (count == 0) {
      over_ = true;
      ::shutdown(to_, SHUT_WR);
      return true;
    }
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
    return Write();
  }
  bool Write() {
    const ssize_t count = ::send(to_, buffer_.data() + begin_, end_ - begin_, MSG_NOSIGNAL);
    if (count < 0) return WouldBlock();
    begin_ += static_cast<std::size_t>(count);
    return true;
  }

 private:
  bool Empty() const { return begin_ == end_; }

  const int from_;
  const int to_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool over_ = false;
};

// Whether the end has sent no byte; sets `closed` where it has closed its half.
bool IsSilent(int fd, bool& closed) {
  char byte = 0;
  const ssize_t count = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count < 0) return WouldBlock();
  closed = count == 0;
  return count == 0;
}

class Pump {
 public:
  Pump(int first, int second, PumpWays ways)
      : first_(first), second_(second), back_(second, first), ways_(ways) {
    if (ways == PumpWays::kBoth) there_.emplace_back(first, second);
  }

  bool Over() const { return back_.over() && (there_.empty() || there_.front().over()); }

  /// Waits and carries what can be carried; false where it is over. `moved`: something was ready.
  bool Turn(std::chrono::milliseconds wait, bool& moved) {
    pollfd ends[2] = {Watched(first_, FirstEvents()), Watched(second_, SecondEvents())};
    const int ready = ::poll(ends, 2, static_cast<int>(wait.count()));
    if (ready <= 0) return ready == 0 || errno == EINTR;
    moved = true;
    if (ways_ == PumpWays::kToFirst && (ends[0].revents & POLLIN) != 0) {
      if (!IsSilent(first_, first_closed_)) return false;
    }
    if (!Carry(back_, ends[1].revents, ends[0].revents)) return false;
    return there_.empty() || Carry(there_.front(), ends[0].revents, ends[1].revents);
  }

 private:
  // A descriptor from which nothing is awaited is left out: poll() would report its hang-up again
  // and again.
  static pollfd Watched(int fd, int events) {
    return {events == 0 ? -1 : fd, static_cast<short>(events), 0};
  }
  int FirstEvents() const {
    const bool reads = there_.empty() ? !first_closed_ : there_.front().reads();
    return (reads ? POLLIN : 0) | (back_.writes() ? POLLOUT : 0);
  }
  int SecondEvents() const {
    const bool writes = !there_.empty() && there_.front().writes();
    return (back_.reads() ? POLLIN : 0) | (writes ? POLLOUT : 0);
  }
  static bool Carry(Direction& direction, int from, int to) {
    constexpr int kGone = POLLHUP | POLLERR;
    if (direction.reads() && (from & (POLLIN | kGone)) != 0) return direction.Read();
    if (direction.writes() && (to & (POLLOUT | kGone)) != 0) return direction.Write();
    return true;
  }

  const int first_;
  const int second_;
  Direction back_;
  std::vector<Direction> there_;
  const PumpWays ways_;
  bool first_closed_ = false;
};

void MakeNonBlocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

void PumpBytes(int first, int second, PumpWays ways, std::chrono::milliseconds idle,
               std::stop_token stop) {
  MakeNonBlocking(first);
  MakeNonBlocking(second);
  Pump pump(first, second, ways);
  Deadline until = Deadline::After(idle);
  while (!pump.Over() && !stop.stop_requested() && !until.Passed()) {
    bool moved = false;
    const auto wait = std::min<std::chrono::milliseconds>(until.LeftMs(), kLookAgain);
    if (!pump.Turn(wait, moved)) return;
    if (moved) until = Deadline::After(idle);
  }
}

}  // namespace mlprof
