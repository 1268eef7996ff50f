// A write of a model that the kernel refused because the file system is mounted read-only (EROFS).
#pragma once

#include <string>

namespace mlprof {

struct RefusedWrite {
  std::string path;  // inside the container, absolute, links resolved
  /// What would have to be writable for it; "": no folder below / would do.
  std::string folder;
  bool operator==(const RefusedWrite&) const = default;
};

}  // namespace mlprof
