// The datasets of a workspace.
#pragma once

#include <string>

#include "common/domain/dataset.h"
#include "common/result/result.h"
#include "mlprof/resource.h"
#include "mlprof/upload.h"

namespace mlprof::client {

class Connection;

struct NewDataset {
  std::string name;
  std::string description;
};

class Datasets {
 public:
  explicit Datasets(Connection& connection) : connection_(connection) {}

  Result<Resource<Dataset>> Register(const NewDataset& dataset, const Upload& rows);
  Result<Resource<Dataset>> Get(const std::string& id);
  /// Newest first; "" lists every name.
  Result<ResourceList<Dataset>> List(const std::string& name = "");
  /// The first `count` rows, fewer where there are fewer.
  Result<Rows> Head(const std::string& id, std::int64_t count);
  Status Delete(const std::string& id);

 private:
  Connection& connection_;
};

}  // namespace mlprof::client
