// What a server keeps beyond its limits, and lets go when it is asked to.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/units/bytes.h"

namespace mlprof::client {

struct GarbageRequest {
  bool dry_run = false;  // says what would go
  /// Finished profiles that ended longer ago are deleted; nullopt: none.
  std::optional<std::chrono::seconds> profiles_older_than;
};

struct GarbageItem {
  std::string kind;  // image, content, samples, profile
  std::string id;
  Bytes size;
  std::string action;  // removed, thinned, quarantined
  std::string why;
};

struct Garbage {
  std::vector<GarbageItem> items;
  Bytes freed;
  std::vector<std::string> notes;  // what stayed although it might have gone, and why
};

}  // namespace mlprof::client
