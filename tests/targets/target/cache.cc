#include "tests/targets/target/cache.h"

namespace target {

void InputCache::Keep(const std::string& input, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (inputs_.contains(input) || (most_ > 0 && bytes > most_)) return;
  while (most_ > 0 && bytes_ + bytes > most_) Evict();
  inputs_.insert(input);
  kept_.emplace_back(input, std::vector<char>(bytes, 1));
  bytes_ += bytes;
}

void InputCache::Evict() {
  bytes_ -= kept_.front().second.size();
  inputs_.erase(kept_.front().first);
  kept_.pop_front();
}

std::size_t InputCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace target
