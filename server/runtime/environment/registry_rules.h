// From which registries images are pulled. An engine pulls as root, from the machine it runs on: a
// name that a request makes up would have it ask any address that can be reached from there. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlprof::server::environment {

/// The registry in a repository's name, lower case, with its port: "" where it names none, which
/// means the engine's own.
std::string RegistryOf(std::string_view repository);

/// Whether images may be pulled from `registry`: it is the engine's own or one of `allowed`, each
/// HOST or HOST:PORT; "*" allows all.
bool MayPullFrom(const std::string& registry, const std::vector<std::string>& allowed);

}  // namespace mlprof::server::environment
