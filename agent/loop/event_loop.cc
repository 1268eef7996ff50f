#include "agent/loop/event_loop.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>

namespace mlprof::agent {

Result<EventLoop> EventLoop::Open() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!epoll || !timer) return Fail(FromErrno(errno, "opening the event loop"));
  EventLoop loop(std::move(epoll), std::move(timer));
  // Edge-triggered: the next timerfd_settime() clears the expiry, so it need not be read each time.
  MLPROF_TRY(loop.Watch(loop.timer_.get(), EPOLLIN | EPOLLET, nullptr));
  return loop;
}

Status EventLoop::Watch(int fd, std::uint32_t events, Watcher* watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = watcher;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) < 0) {
    return Fail(FromErrno(errno, "watching a descriptor"));
  }
  return {};
}

void EventLoop::Rewatch(int fd, std::uint32_t events, Watcher* watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = watcher;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::Unwatch(int fd, Watcher* watcher) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  for (int i = 0; i < batch_size_; ++i) {
    epoll_event& event = batch_[static_cast<std::size_t>(i)];
    if (event.data.ptr == watcher) event.events = 0;
  }
}

TimerId EventLoop::At(Clock::time_point when, std::function<void()> action) {
  const TimerId id{when, ++last_timer_};
  timers_.emplace(id, std::move(action));
  return id;
}

void EventLoop::Cancel(TimerId& id) {
  if (id.second != 0) timers_.erase(id);
  id = {};
}

void EventLoop::FireTimers() {
  const auto now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto node = timers_.extract(timers_.begin());
    node.mapped()();
  }
}

// A timer that is armed for an earlier time than is needed now stays so: one wake-up too many costs
// less than a system call for every change.
void EventLoop::ArmTimer() {
  if (timers_.empty()) return;
  const auto when = timers_.begin()->first.first;
  if (armed_for_ != Clock::time_point{} && armed_for_ <= when) return;
  armed_for_ = when;
  const auto since = std::max<std::int64_t>(1, when.time_since_epoch().count());
  itimerspec spec{};
  spec.it_value.tv_sec = since / 1'000'000'000;
  spec.it_value.tv_nsec = since % 1'000'000'000;
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

bool EventLoop::HandleBatch(int count) {
  batch_size_ = count;
  const epoll_event* last = nullptr;
  bool timer_fired = false;
  for (int i = 0; i < batch_size_; ++i) {
    const epoll_event& event = batch_[static_cast<std::size_t>(i)];
    if (event.data.ptr == nullptr) {
      timer_fired = true;
    } else if (event.data.ptr == last_) {
      last = &event;
    } else if (event.events != 0) {
      static_cast<Watcher*>(event.data.ptr)->OnEvents(event.events);
    }
  }
  if (last != nullptr && last->events != 0) {
    seen_all_ready_ = static_cast<std::size_t>(batch_size_) < batch_.size();
    static_cast<Watcher*>(last->data.ptr)->OnEvents(last->events);
    seen_all_ready_ = false;
  }
  batch_size_ = 0;
  return timer_fired;
}

void EventLoop::Run(const std::function<void()>& after_batch) {
  while (running_) {
    ArmTimer();
    const int count =
        ::epoll_wait(epoll_.get(), batch_.data(), static_cast<int>(batch_.size()), -1);
    if (HandleBatch(std::max(0, count))) {
      armed_for_ = {};
      FireTimers();
    }
    after_batch();
  }
}

}  // namespace mlprof::agent
