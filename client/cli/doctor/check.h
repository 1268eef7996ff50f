// What the doctor looks at, one finding each.
#pragma once

#include <string>
#include <vector>

#include "client/cli/session.h"

namespace mlprof::client::cli {

struct Finding {
  std::string name;
  bool ok = false;
  std::string found;  // what is there
  std::string mend;   // the command or step that mends it; "" where there is nothing to do
};

/// The engine, its versions, and whether its limits work.
std::vector<Finding> CheckDocker(const Surroundings& surroundings);
/// Programs, disk, kernel and cores of this machine.
std::vector<Finding> CheckHost(const Surroundings& surroundings);
/// The configured server; nothing where there is none.
std::vector<Finding> CheckServer(Session& session);

}  // namespace mlprof::client::cli
