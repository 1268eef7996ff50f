#include "common/log/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "common/os/start_thread.h"

namespace mlprof {

bool WriteWhole(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      pollfd room{fd, POLLOUT, 0};
      if (poll(&room, 1, -1) < 0 && errno != EINTR) return false;
      continue;
    }
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

struct LineWriter::Shared {
  Shared(int to, std::size_t most, TellOfDropped tell_of)
      : fd(to), most_waiting(most), tell(std::move(tell_of)) {}
  void Run();
  std::int64_t Write(std::string_view lines) const;
  std::int64_t Tell(std::int64_t count) const;

  const int fd;
  const std::size_t most_waiting;
  const TellOfDropped tell;

  std::mutex mutex;
  std::condition_variable put;
  std::condition_variable written;
  std::string waiting;
  bool full = false;  // something was dropped behind what waits
  bool writing = false;
  bool ended = false;
  std::int64_t dropped = 0;
};

// Writes one line at a time, so that each is in a pipe wholly or not at all. Gives how many were
// lost.
std::int64_t LineWriter::Shared::Write(std::string_view lines) const {
  std::int64_t lost = 0;
  while (!lines.empty()) {
    const std::size_t size = lines.find('\n') + 1;
    if (!WriteWhole(fd, lines.substr(0, size))) ++lost;
    lines.remove_prefix(size);
  }
  return lost;
}

// Writes the line that tells of `count` dropped ones. Gives how many were not told of: 0, or
// `count`.
std::int64_t LineWriter::Shared::Tell(std::int64_t count) const {
  try {
    return count == 0 || WriteWhole(fd, tell(count)) ? 0 : count;
  } catch (...) {  // out of memory: told with what comes next
    return count;
  }
}

void LineWriter::Shared::Run() {
  std::string batch;
  std::unique_lock lock(mutex);
  for (;;) {
    put.wait(lock, [&] { return !waiting.empty() || full || ended; });
    if (ended) return;
    batch.swap(waiting);
    full = false;
    writing = true;
    const std::int64_t before = std::exchange(dropped, 0);
    lock.unlock();
    const std::int64_t lost = Write(batch);
    const std::int64_t untold = Tell(before);
    batch.clear();
    lock.lock();
    dropped += lost + untold;
    writing = false;
    written.notify_all();
  }
}

Result<std::unique_ptr<LineWriter>> LineWriter::Start(int fd, Bytes most_waiting,
                                                      TellOfDropped tell) {
  auto shared =
      std::make_shared<Shared>(fd, static_cast<std::size_t>(most_waiting.count()), std::move(tell));
  auto thread = StartThread("log", [shared](const std::stop_token&) { shared->Run(); });
  if (!thread) return Fail(thread.error());
  thread->detach();  // nobody can wait for it while the descriptor takes nothing
  return std::unique_ptr<LineWriter>(new LineWriter(std::move(shared)));
}

LineWriter::~LineWriter() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ended = true;
  shared_->put.notify_all();
}

void LineWriter::Put(std::string_view line) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->full || shared_->waiting.size() + line.size() > shared_->most_waiting) {
    shared_->full = true;
    ++shared_->dropped;
  } else {
    shared_->waiting += line;
  }
  shared_->put.notify_one();
}

bool LineWriter::Flush(std::chrono::milliseconds most) {
  std::unique_lock lock(shared_->mutex);
  return shared_->written.wait_for(
      lock, most, [&] { return shared_->waiting.empty() && !shared_->full && !shared_->writing; });
}

}  // namespace mlprof
