// Folders with an entry script, kept by content.
#pragma once

#include <string>

#include "common/result/result.h"
#include "mlprof/upload.h"

namespace mlprof::client {

class Connection;

class Sources {
 public:
  explicit Sources(Connection& connection) : connection_(connection) {}

  /// "sha256:…"; the same content gives the same id.
  Result<std::string> Upload(const client::Upload& tar);
  /// kConflict while a profile or a model needs it.
  Status Delete(const std::string& id);

 private:
  Connection& connection_;
};

}  // namespace mlprof::client
