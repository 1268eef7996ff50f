// Ids that nobody can guess and that never meet: 128 random bits as 32 hex digits.
#pragma once

#include <string>

namespace mlprof {

std::string RandomId();

}  // namespace mlprof
