#include "server/app/runtime_check.h"

#include "server/app/runtime_settings.h"
#include "server/runtime/process/process_checks.h"

namespace mlprof::server {

Json CheckRuntime(const ServerOptions& options) {
  Json checks = Json::array();
  if (options.runtime == "process") {
    for (const process::ProcessCheck& check : process::TryProcesses(AgentProgramOf(options))) {
      checks.push_back(
          {{"name", check.name}, {"ok", check.ok}, {"found", check.found}, {"mend", check.mend}});
    }
  }
  return {{"runtime", options.runtime}, {"checks", std::move(checks)}};
}

}  // namespace mlprof::server
