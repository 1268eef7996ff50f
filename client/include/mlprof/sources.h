// Folders with an entry script, kept by content.
#pragma once

#include <string>

#include "client/include/mlprof/upload.h"
#include "common/result/result.h"

namespace mlprof {

class Connection;

class Sources {
 public:
  explicit Sources(Connection& connection) : connection_(connection) {}

  /// "sha256:…"; the same content gives the same id.
  Result<std::string> Upload(const mlprof::Upload& tar);

 private:
  Connection& connection_;
};

}  // namespace mlprof
