// Signals by name. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace mlprof::agent {

/// "SIGTERM", "TERM", "15", "SIGRTMIN+3"; "" is SIGTERM.
std::optional<int> ParseSignal(std::string_view text);

}  // namespace mlprof::agent
