#include "server/replay/row_feed.h"

#include <utility>

#include "common/os/start_thread.h"

namespace mlprof::server {

RowFeed::RowFeed(const RowSource& rows, const std::vector<std::uint32_t>& order,
                 std::function<void()> on_read)
    : rows_(rows),
      order_(order),
      on_read_(std::move(on_read)),
      held_(order.empty() || rows.Held(order.front()) != nullptr) {
  if (held_) return;
  auto thread = StartThread("row feed", [this](const std::stop_token& stop) { Run(stop); });
  if (thread) {
    thread_ = *std::move(thread);
  } else {
    const std::lock_guard lock(mutex_);
    error_ = thread.error();
  }
}

RowFeed::~RowFeed() = default;  // the thread is the last member: it is stopped and joined first

void RowFeed::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

bool RowFeed::Ready() {
  if (held_) return true;
  const std::lock_guard lock(mutex_);
  wanted_ = ahead_.empty() && !error_;
  return !ahead_.empty();
}

std::string RowFeed::Take() {
  if (held_) return *rows_.Held(order_[taken_++ % order_.size()]);
  const std::lock_guard lock(mutex_);
  std::string row = std::move(ahead_.front());
  ahead_.pop_front();
  bytes_ahead_ = bytes_ahead_ - Bytes(std::ssize(row));
  const bool half =
      bytes_ahead_.count() * 2 <= kMostAhead.count() && ahead_.size() * 2 <= kMostRowsAhead;
  if (full_ && (half || ahead_.empty())) {
    full_ = false;
    room_.notify_one();
  }
  return row;
}

std::optional<Error> RowFeed::error() const {
  if (held_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return error_;
}

// Whoever waits for a row looks again by himself within a quarter of a second.
void RowFeed::Run(const std::stop_token& stop) {
  try {
    ReadAhead(stop);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = Error(ErrorCode::kResourceExhausted, "there was no memory to read rows ahead");
    throw;
  }
}

void RowFeed::ReadAhead(const std::stop_token& stop) {
  std::size_t next = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, stop, [&] { return !full_; });
    }
    if (stop.stop_requested() || !ReadOne(order_[next++ % order_.size()])) return;
  }
}

bool RowFeed::ReadOne(std::uint32_t row) {
  std::string bytes;
  const Status read = rows_.Read(row, bytes);
  std::unique_lock lock(mutex_);
  if (read) {
    bytes_ahead_ += Bytes(std::ssize(bytes));
    ahead_.push_back(std::move(bytes));
    full_ = bytes_ahead_ >= kMostAhead || ahead_.size() >= kMostRowsAhead;
  } else {
    error_ = read.error();
  }
  const bool wanted = std::exchange(wanted_, false);
  lock.unlock();
  if (wanted || !read) on_read_();
  return read.has_value();
}

}  // namespace mlprof::server
