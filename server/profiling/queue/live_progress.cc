#include "server/profiling/queue/live_progress.h"

namespace mlprof::server {

void LiveProgress::Set(const std::string& profile_id, Progress progress) {
  const std::lock_guard lock(mutex_);
  running_[profile_id] = std::move(progress);
}

void LiveProgress::Forget(const std::string& profile_id) {
  const std::lock_guard lock(mutex_);
  running_.erase(profile_id);
}

std::optional<Progress> LiveProgress::Get(const std::string& profile_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(profile_id);
  if (found == running_.end()) return std::nullopt;
  return found->second;
}

}  // namespace mlprof::server
