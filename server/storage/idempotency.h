// An Idempotency-Key and what it was used for. It is stored in the same transaction as the resource
// it created, so a retry after a crash finds either both or neither.
#pragma once

#include <string>

namespace mlprof::server {

struct IdempotencyKey {
  std::string key;  // "" is none
  std::string
      fingerprint;  // digest of route, query and body: another one under the same key is 422
};

}  // namespace mlprof::server
