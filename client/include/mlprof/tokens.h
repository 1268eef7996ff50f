// The bearer tokens of a server; they belong to no workspace.
#pragma once

#include <optional>
#include <string>

#include "common/domain/token.h"
#include "common/result/result.h"
#include "mlprof/resource.h"

namespace mlprof::client {

class Connection;

struct TokenRequest {
  std::string name;
  Scope scope = Scope::kWrite;
  std::optional<std::int64_t> expires_in_days;
};

class Tokens {
 public:
  explicit Tokens(Connection& connection) : connection_(connection) {}

  /// The secret is in this response and never again.
  Result<Resource<CreatedToken>> Create(const TokenRequest& token);
  Result<ResourceList<Token>> List();
  Status Revoke(const std::string& id_or_name);

 private:
  Connection& connection_;
};

}  // namespace mlprof::client
