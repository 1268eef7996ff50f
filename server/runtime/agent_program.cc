#include "server/runtime/agent_program.h"

#include <unistd.h>

namespace mlprof::server {

Result<std::filesystem::path> FindAgentProgram(const std::filesystem::path& named) {
  std::error_code error;
  std::filesystem::path found = std::filesystem::canonical(named, error);
  if (!error && ::access(found.c_str(), X_OK) == 0) return found;
  return Fail(InvalidArgument("no agent program at '" + named.string() +
                              "'; it is installed beside mlprof-server (build target "
                              "mlprof-agent)"));
}

}  // namespace mlprof::server
