// The command line as a function: arguments in, exit status out.
#pragma once

#include <string>
#include <vector>

#include "client/cli/surroundings.h"

namespace mlprof::client::cli {

/// `arguments` without the program's own name.
int Run(const std::vector<std::string>& arguments, Surroundings surroundings);

}  // namespace mlprof::client::cli
