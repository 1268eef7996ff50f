#include "tests/targets/target/pool.h"

#include <algorithm>

#include "tests/targets/target/cost.h"

namespace target {
namespace {

constexpr std::chrono::milliseconds kLongestShare{4};
constexpr std::chrono::milliseconds kSpinTime{5};

}  // namespace

Pool::Pool(int threads, bool spins) : threads_(std::max(threads, 1)), spins_(spins) {
  for (int i = 1; i < threads_; ++i) others_.emplace_back([this] { Work(); });
}

Pool::~Pool() {
  stopping_ = true;
  ++region_;
  region_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void Pool::AwaitChange(const std::atomic<int>& value, int from) const {
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  while (spins_ && std::chrono::steady_clock::now() < end) {
    if (value != from) return;
  }
  value.wait(from);
}

void Pool::Work() {
  for (int seen = 0;;) {
    AwaitChange(region_, seen);
    if (stopping_) return;
    ++seen;
    target::Burn(share_);
    if (--working_ == 0) working_.notify_all();
  }
}

void Pool::Burn(std::chrono::nanoseconds cpu) {
  const std::lock_guard lock(turn_);
  while (cpu.count() > 0) {
    share_ = std::min<std::chrono::nanoseconds>(cpu / threads_, kLongestShare);
    cpu -= std::max<std::chrono::nanoseconds>(share_ * threads_, std::chrono::nanoseconds(1));
    working_ = threads_ - 1;
    ++region_;
    region_.notify_all();
    target::Burn(share_);
    for (int left = working_; left > 0; left = working_) AwaitChange(working_, left);
  }
}

}  // namespace target
