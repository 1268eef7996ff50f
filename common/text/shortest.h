// Pure.
#pragma once

#include <string>

namespace mlprof {

/// The shortest decimal text that reads back as the same number: "0.1", "2".
std::string Shortest(double value);

}  // namespace mlprof
