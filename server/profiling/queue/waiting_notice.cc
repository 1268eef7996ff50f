#include "server/profiling/queue/waiting_notice.h"

#include "common/json/domain_json.h"

namespace mlprof::server {

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
