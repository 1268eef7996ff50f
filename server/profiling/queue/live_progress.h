// Where running profiles are right now, between the records that are committed. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "common/domain/profile.h"

namespace mlprof::server {

class LiveProgress {
 public:
  void Set(const std::string& profile_id, Progress progress);
  void Forget(const std::string& profile_id);
  std::optional<Progress> Get(const std::string& profile_id) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Progress> running_;
};

}  // namespace mlprof::server
