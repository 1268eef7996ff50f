// Keeps what grows within limits: images of environments, content that no row refers to, samples of
// old profiles. Profiles go only where somebody asks for it; models, datasets and sources never do.
// Thread-safe.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

#include "common/result/result.h"
#include "server/retention/collection.h"
#include "server/retention/rules.h"
#include "server/storage/profile_repository.h"

namespace mlprof::server {

class ContentStore;
class ControllerMetrics;
class Database;
class Runtime;

/// What it looks at, which outlives it.
struct RetentionServices {
  Runtime& runtime;
  Database& database;
  ContentStore& content;
  ProfileRepository& profiles;
  std::function<Status(const std::string& workspace, const std::string& id)> delete_profile;
  ControllerMetrics& metrics;
  std::filesystem::path data_directory;
};

class Retention {
 public:
  Retention(RetentionServices services, const RetentionRules& rules)
      : services_(std::move(services)), rules_(rules) {}

  /// One look; what went, or with `dry_run` what would. Takes a while: calls the engine, reads and
  /// writes the disk. What fails is told in the notes and tried again next time. kConflict while
  /// another look goes on, kCancelled once stopped.
  Result<Collection> Collect(const Sweep& sweep);
  /// Ends a look where it stands, and lets no other begin. Does not wait.
  void Stop() { stop_.request_stop(); }

 private:
  void MeasureStored(const Sweep& sweep) const;

  const RetentionServices services_;
  const RetentionRules rules_;
  std::mutex collecting_;
  std::stop_source stop_;
};

}  // namespace mlprof::server
