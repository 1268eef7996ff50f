// Idempotency keys.
#pragma once

#include <string>

namespace mlprof {

/// A random (version 4) UUID.
std::string RandomUuid();

}  // namespace mlprof
