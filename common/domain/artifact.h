// A file that a profile left, such as a log, a capture or a report. Its bytes stay in storage.
#pragma once

#include <string>

#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof {

struct Artifact {
  std::string id;
  std::string kind;        // what it is for: "log"
  std::string name;        // of a file, and the only one of this name in its profile
  std::string media_type;  // "text/plain; charset=utf-8"
  Bytes size;
  std::string sha256;  // hex digest of its bytes
  Timestamp created;
};

}  // namespace mlprof
