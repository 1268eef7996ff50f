// Keeps what grows within limits: images of environments, content that no row refers to, samples of
// old profiles. Profiles go only where somebody asks for it; models, datasets and sources never do.
// Thread-safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"
#include "server/retention/policy.h"
#include "server/storage/profile_repository.h"

namespace mlprof::server {

/// What grows.
enum class Holds { kImage, kContent, kSamples, kProfile };
/// What became of a thing that was found to go.
enum class Fate {
  kRemoved,
  kThinned,      // a bounded part of it stays
  kQuarantined,  // moved aside for a week; frees nothing yet
};

/// "image", "removed": as interfaces say it.
const char* Name(Holds kind);
const char* Name(Fate fate);

/// One thing that was found to go.
struct Collected {
  Holds kind = Holds::kImage;
  std::string id;
  Bytes size;  // that it frees, about; of what is quarantined, that it takes
  Fate fate = Fate::kRemoved;
  std::string why;
};

/// What a look at all that grows found to go, and what became of it.
struct Collection {
  std::vector<Collected> items;
  std::vector<std::string> notes;  // what could not be looked at or let go, and why

  Bytes Freed() const;
};

/// One look.
struct Sweep {
  bool dry_run = false;  // says what would go
  /// Finished profiles that are older go too; nullopt: none.
  std::optional<std::chrono::seconds> profiles_older_than;
  Timestamp now;
  Patience patience;  // what is not done by then is left to the next one
};

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
