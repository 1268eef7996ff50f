#include "server/profiling/queue/live_progress.h"

#include "common/json/domain_json.h"

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

void WaitingNotice::Show(const std::vector<Profile>& waiting, const std::string& message) {
  std::set<std::string> shown;
  for (const Profile& profile : waiting) {
    Progress progress = profile.progress;
    progress.message = message;
    live_.Set(profile.id, progress);
    events_.PublishToWatchers(profile.id, "progress", EncodeProgress(progress));
    shown.insert(profile.id);
  }
  for (const std::string& id : shown_) {
    if (!shown.contains(id)) live_.Forget(id);
  }
  shown_ = std::move(shown);
}

}  // namespace mlprof::server
