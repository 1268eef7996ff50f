// When each environment was used last: remembered in a folder, as the time of an empty file named
// by its hash. And who comes first where one is wanted while it is being removed. Thread-safe.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/time/timestamp.h"

namespace mlprof::server::environment {

class EnvironmentUses {
  struct End {
    EnvironmentUses* uses;
    void operator()(const std::string* hash) const {
      uses->EndRemoval(*hash);
      delete hash;
    }
  };

 public:
  /// Ends with this. Must not outlive what it was asked of.
  using Removal = std::unique_ptr<const std::string, End>;

  /// The folder is made when it is first needed.
  explicit EnvironmentUses(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Notes a use. Waits while this one is being removed. A disk that does not take the note leaves
  /// it in memory.
  Status Use(const std::string& hash, Timestamp now, const Patience& patience);
  /// nullopt where none is remembered.
  std::optional<Timestamp> LastUse(const std::string& hash) const;
  /// The right to remove it and forget its use: none where it was used after `seen`.
  std::optional<Removal> BeginRemoval(const std::string& hash, Timestamp seen);
  /// With that right, once it is gone.
  void Forget(const std::string& hash);

 private:
  std::optional<Timestamp> Find(const std::string& hash) const;  // under the mutex
  void EndRemoval(const std::string& hash);

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::condition_variable_any ended_;
  std::map<std::string, Timestamp> used_;  // since the start
  std::set<std::string> removing_;
};

}  // namespace mlprof::server::environment
