// A run of a profile that something else than the model ended, and after which it was run again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlprof {

enum class RerunCause {
  kServerStopped,
  kStorageFailed,  // the data directory did
  kEngineLost,     // it went away
  kNoRoom,         // on this machine, for the container
  kAgentLost,      // without a word, by an engine that is well
};
/// "requeued", "storageFailed", "engineLost", "noRoom", "agentLost": stable, as it is stored and as
/// the warning that tells of it is coded.
std::string_view Name(RerunCause cause);
std::optional<RerunCause> ParseRerunCause(std::string_view name);

struct Rerun {
  RerunCause cause = RerunCause::kServerStopped;
  std::string words;  // what its warning says
  bool operator==(const Rerun&) const = default;
};

}  // namespace mlprof
