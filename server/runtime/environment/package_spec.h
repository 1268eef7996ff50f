// Which packages an environment asks for, by strict grammar: names, extras, versions and markers;
// no options, addresses or paths, which would let a request choose what the host fetches. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server::environment {

/// Success for "name[extra,…] version-clauses ; marker". kInvalidArgument, naming the text, else.
Status CheckPackageSpec(std::string_view spec);

/// The packages of a requirements file. kInvalidArgument naming the line that holds something else.
Result<std::vector<std::string>> ParseRequirements(std::string_view content);

}  // namespace mlprof::server::environment
