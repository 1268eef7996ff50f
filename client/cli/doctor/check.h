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

/// What models would run on here.
struct RuntimeReport {
  std::string runtime;            // "docker", "process"
  std::vector<Finding> findings;  // of processes
};

/// What mlprof-server finds with `--runtime RUNTIME` ("": as it is configured), which it is asked
/// for; "docker" where it is not there and nothing was asked for.
RuntimeReport CheckRuntime(const std::string& runtime, const Surroundings& surroundings);
/// The engine, its versions, and whether its limits work.
std::vector<Finding> CheckDocker(const Surroundings& surroundings);
/// Programs, disk, kernel and cores of this machine; what bounds the disk of containers where
/// models run in them.
std::vector<Finding> CheckHost(const Surroundings& surroundings, bool containers);
/// The configured server; nothing where there is none.
std::vector<Finding> CheckServer(Session& session);

}  // namespace mlprof::client::cli
