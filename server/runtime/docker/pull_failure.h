// What the engine says of a pull that failed, put for people. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mlprof::server::docker {

/// Why a pull failed, in our own words: what a registry answers is not ours to show, and may be any
/// web page. `said` is the engine's message.
std::string PullFailure(std::string_view said);

}  // namespace mlprof::server::docker
