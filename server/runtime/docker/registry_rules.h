// From which registries images are pulled. The engine pulls as root, from this machine: a name that
// a request makes up would have it ask any address that can be reached from here. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlprof::docker {

/// The registry in a repository's name, lower case, with its port: "" where it names none, which
/// means the engine's own.
std::string RegistryOf(std::string_view repository);

/// Whether images may be pulled from `registry`: it is the engine's own or one of `allowed`, each
/// HOST or HOST:PORT; "*" allows all.
bool MayPullFrom(const std::string& registry, const std::vector<std::string>& allowed);

/// Why a pull failed, in our own words: what a registry answers is not ours to show, and may be any
/// web page. `said` is the engine's message.
std::string PullFailure(std::string_view said);

}  // namespace mlprof::docker
