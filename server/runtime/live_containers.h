// Names of the containers that a Target owns; whatever else this installation has is an orphan.
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace mlprof::server {

/// Thread-safe.
class LiveContainers {
 public:
  /// False where the name is owned already.
  bool Add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return names_.insert(name).second;
  }
  void Remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_.erase(name);
  }
  std::set<std::string> Names() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> names_;
};

}  // namespace mlprof::server
