// Messages from other threads to the one that waits. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "common/time/deadline.h"

namespace mlprof::client::cli {

template <class Message>
class Mailbox {
 public:
  void Put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    arrived_.notify_one();
  }
  /// The oldest message; nullopt once `deadline` has passed.
  std::optional<Message> Take(const Deadline& deadline) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_until(lock, deadline.when(), [this] { return !messages_.empty(); })) {
      return std::nullopt;
    }
    Message message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Message> messages_;
};

}  // namespace mlprof::client::cli
