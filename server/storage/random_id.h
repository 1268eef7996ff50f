// Ids that nobody can guess and that never meet: 128 random bits as 32 hex digits.
#pragma once

#include <string>

namespace mlprof::server {

std::string RandomId();

}  // namespace mlprof::server
