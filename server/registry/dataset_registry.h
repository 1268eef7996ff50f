// Datasets: one column of request bodies. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "common/domain/dataset.h"
#include "common/domain/row_source.h"
#include "common/http/message.h"
#include "common/result/result.h"
#include "server/storage/azure_records.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/page.h"

namespace mlprof::server {

class Database;
class ContentStore;
class RowSink;

struct NewDataset {
  std::string workspace;
  std::string name;
  std::string description;
  std::string content_type;  // text/plain, application/jsonl, text/csv[;header=present|absent],
                             // application/json
  AzureTags azure_tags = {};
};

class DatasetRegistry {
 public:
  DatasetRegistry(Database& database, ContentStore& content);

  /// kInvalidArgument names the row ("/rows/3"); kUnsupportedMedia; kTooLarge as of DecodeUpload
  /// (row_upload.h); kKeyReused.
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
  /// The same, read from their file when they are needed; few enough of them are held. Errors as of
  /// ReadRows, and kCancelled at the stop. The dataset must not be deleted meanwhile.
  Result<std::unique_ptr<RowSource>> OpenRows(const Dataset& dataset,
                                              const std::stop_token& stop = {});
  /// Some of them, for a request: kInternal where their file is missing or damaged.
  Result<Page<std::string>> ReadRowsPage(const Dataset& dataset, const PageRequest& page);

 private:
  /// Keeps the rows that `give` gives.
  Result<Dataset> Keep(const NewDataset& dataset, const IdempotencyKey& key,
                       const std::function<Status(RowSink&)>& give);
  Result<std::string> ContentOf(const Dataset& dataset);

  Database& database_;
  ContentStore& content_;
};

}  // namespace mlprof::server
