// What the name of an image says, by strict grammar: repository, tag and registry, and whether
// images may be pulled from there. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server::environment {

/// Of "registry/name:tag" or "registry/name@sha256:…".
struct ImageReference {
  std::string repository;
  std::string tag;  // "latest" where none is given; the digest ("sha256:…") where that is given
  bool operator==(const ImageReference&) const = default;
};

/// kInvalidArgument for what cannot name an image. An image id ("sha256:…") can, but not be pulled:
/// its repository is "".
Result<ImageReference> ParseImageReference(std::string_view text);

// From which registries images are pulled. An engine pulls as root, from the machine it runs on: a
// name that a request makes up would have it ask any address that can be reached from there.

/// The registry in a repository's name, lower case, with its port: "" where it names none, which
/// means the engine's own.
std::string RegistryOf(std::string_view repository);

/// Whether images may be pulled from `registry`: it is the engine's own or one of `allowed`, each
/// HOST or HOST:PORT; "*" allows all.
bool MayPullFrom(const std::string& registry, const std::vector<std::string>& allowed);

}  // namespace mlprof::server::environment
