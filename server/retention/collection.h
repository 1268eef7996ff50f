// What a look at all that grows found to go, and what became of it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/time/patience.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof::server {

enum class Holds { kImage, kContent, kSamples, kProfile };
enum class Fate {
  kRemoved,
  kThinned,      // a bounded part of it stays
  kQuarantined,  // moved aside for a week; frees nothing yet
};

/// "image", "removed": as interfaces say it.
const char* Name(Holds kind);
const char* Name(Fate fate);

struct Collected {
  Holds kind = Holds::kImage;
  std::string id;
  Bytes size;  // that it frees, about; of what is quarantined, that it takes
  Fate fate = Fate::kRemoved;
  std::string why;
};

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

}  // namespace mlprof::server
