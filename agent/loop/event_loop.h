// The agent's one thread: epoll, timers on one timerfd, and a hook after each batch of events in
// which everything that was said to the controller leaves in one write.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "common/os/unique_fd.h"
#include "common/result/result.h"

#include <sys/epoll.h>

namespace mlprof::agent {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

class Watcher {
 public:
  virtual ~Watcher() = default;
  /// `events` are epoll's (EPOLLIN, …).
  virtual void OnEvents(std::uint32_t events) = 0;
};

/// Names a timer; `second` is unique, 0 is no timer.
using TimerId = std::pair<Clock::time_point, std::uint64_t>;

class EventLoop {
 public:
  static Result<EventLoop> Open();

  /// `watcher` must stay until Unwatch; unwatching inside a callback is safe.
  Status Watch(int fd, std::uint32_t events, Watcher* watcher);
  void Rewatch(int fd, std::uint32_t events, Watcher* watcher);
  void Unwatch(int fd, Watcher* watcher);

  /// In every batch this one is handled after all others.
  void HandleLast(const Watcher* watcher) { last_ = watcher; }
  /// True in the turn of HandleLast's watcher if the batch was not full: then every descriptor that
  /// was ready when the batch was taken has been handled.
  bool SeenAllReady() const { return seen_all_ready_; }

  TimerId At(Clock::time_point when, std::function<void()> action);
  /// Does nothing for a timer that has fired; sets `id` to none.
  void Cancel(TimerId& id);

  /// Runs until Stop; `after_batch` is called after every batch of events and timers.
  void Run(const std::function<void()>& after_batch);
  void Stop() { running_ = false; }

 private:
  EventLoop(UniqueFd epoll, UniqueFd timer) : epoll_(std::move(epoll)), timer_(std::move(timer)) {}
  /// Returns whether the timer fired.
  bool HandleBatch(int count);
  void FireTimers();
  void ArmTimer();

  UniqueFd epoll_;
  UniqueFd timer_;
  std::map<TimerId, std::function<void()>> timers_;
  std::uint64_t last_timer_ = 0;
  Clock::time_point armed_for_{};
  std::array<epoll_event, 128> batch_{};
  int batch_size_ = 0;
  const Watcher* last_ = nullptr;
  bool seen_all_ready_ = false;
  bool running_ = true;
};

}  // namespace mlprof::agent
