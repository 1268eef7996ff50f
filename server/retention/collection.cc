#include "server/retention/collection.h"

namespace mlprof::server {

const char* Name(Holds kind) {
  switch (kind) {
    case Holds::kImage: return "image";
    case Holds::kContent: return "content";
    case Holds::kSamples: return "samples";
    case Holds::kProfile: return "profile";
  }
  return "";
}

const char* Name(Fate fate) {
  switch (fate) {
    case Fate::kRemoved: return "removed";
    case Fate::kThinned: return "thinned";
    case Fate::kQuarantined: return "quarantined";
  }
  return "";
}

Bytes Collection::Freed() const {
  Bytes freed;
  for (const Collected& item : items) {
    if (item.fate != Fate::kQuarantined) freed += item.size;
  }
  return freed;
}

}  // namespace mlprof::server
