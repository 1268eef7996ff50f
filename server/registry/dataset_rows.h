// Datasets as rows. Every call is part of the caller's transaction.
#pragma once

#include <string>

#include "common/domain/dataset.h"
#include "common/result/result.h"
#include "server/storage/page.h"
#include "server/storage/statement.h"

namespace mlprof::server {

struct StoredDataset {
  Dataset dataset;
  std::string content_sha256;
  std::string header_like;  // the first row, where it looks like a header
};

/// By the GUID of its content (content_guid.h), else by id or bare name; kNotFound.
Result<StoredDataset> FindDataset(Connection& connection, const std::string& workspace,
                                  const std::string& id);
Status InsertDataset(Connection& connection, const StoredDataset& stored);
/// Newest first.
Result<Page<Dataset>> ListDatasets(Connection& connection, const std::string& workspace,
                                   const std::string& name, std::int64_t before, int top);
Status DeleteDataset(Connection& connection, const Dataset& dataset);

}  // namespace mlprof::server
