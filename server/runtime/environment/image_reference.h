// "registry/name:tag" or "registry/name@sha256:…", by strict grammar. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::server::environment {

struct ImageReference {
  std::string repository;
  std::string tag;  // "latest" where none is given; the digest ("sha256:…") where that is given
  bool operator==(const ImageReference&) const = default;
};

/// kInvalidArgument for what cannot name an image. An image id ("sha256:…") can, but not be pulled:
/// its repository is "".
Result<ImageReference> ParseImageReference(std::string_view text);

}  // namespace mlprof::server::environment
