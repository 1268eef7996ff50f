// Datasets: one column of request bodies. Thread-safe.
#pragma once

#include <string>

#include "common/domain/dataset.h"
#include "common/http/message.h"
#include "common/result/result.h"
#include "server/storage/idempotency.h"
#include "server/storage/page.h"

namespace mlprof {

class Database;
class ContentStore;

struct NewDataset {
  std::string workspace;
  std::string name;
  std::string description;
  std::string content_type;  // text/plain, application/jsonl, text/csv[;header=present|absent],
                             // application/json
};

class DatasetRegistry {
 public:
  DatasetRegistry(Database& database, ContentStore& content);

  /// kInvalidArgument names the row ("/rows/3"); kUnsupportedMedia; kTooLarge over
  /// kMaxDatasetUpload; kKeyReused.
  Result<Dataset> Register(const NewDataset& dataset, const SpooledBody& body,
                           const IdempotencyKey& key);
  /// Rows that are decoded already, at least one; of `content_type` only whether it declares a
  /// header is looked at.
  Result<Dataset> RegisterRows(const NewDataset& dataset, const Rows& rows,
                               const IdempotencyKey& key);
  /// `id`: "name:version", a bare name (its newest version) or the GUID of its content.
  Result<Dataset> Get(const std::string& workspace, const std::string& id);
  Result<Page<Dataset>> List(const std::string& workspace, const std::string& name,
                             const PageRequest& page);
  Status Delete(const std::string& workspace, const std::string& id);
  /// All rows, in order, as they were registered. Errors as of VerifyFile (verified_tree.h):
  /// kNotFound and kConflict for good, where their file is missing or damaged.
  Result<Rows> ReadRows(const Dataset& dataset);
  /// Some of them, for a request: kInternal where their file is missing or damaged.
  Result<Page<std::string>> ReadRowsPage(const Dataset& dataset, const PageRequest& page);

 private:
  Result<std::string> ContentOf(const Dataset& dataset);

  Database& database_;
  ContentStore& content_;
};

}  // namespace mlprof
