// Idempotency keys, and the secret of a private server.
#pragma once

#include <string>

namespace mlprof::client {

/// A random (version 4) UUID.
std::string RandomUuid();
/// A bearer token: "mlp_" and 256 random bits in hex.
std::string RandomSecret();

}  // namespace mlprof::client
