// Models: versions of named folders of files. Tars come in as spooled files, are checked entry by
// entry, kept by content and unpacked once for mounting. Thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/domain/model.h"
#include "common/http/message.h"
#include "common/result/result.h"
#include "server/registry/verified_tree.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/page.h"

namespace mlprof::server {

class Database;
class ContentStore;

struct NewModel {
  std::string workspace;
  std::string name;
  std::string description;
  std::map<std::string, std::string> tags;
  std::map<std::string, std::string> properties;
  std::optional<InferenceConfig> inference_config;
};

struct ModelChange {
  std::optional<std::string> description;
  std::map<std::string, std::string> add_tags;
  std::vector<std::string> remove_tags;
  std::map<std::string, std::string> add_properties;
  std::optional<InferenceConfig> inference_config;
};

struct TagFilter {
  std::string key;
  std::optional<std::string> value;
};

struct ModelFilter {
  std::string name;  // "": any
  std::vector<TagFilter> tags;
};

class ModelRegistry {
 public:
  ModelRegistry(Database& database, ContentStore& content);

  /// Takes the tar (gzip or not). kInvalidArgument names the offending entry, or the config's
  /// source where there is none; kTooLarge; kKeyReused.
  Result<Model> Register(const NewModel& model, const SpooledBody& tar, const IdempotencyKey& key);
  /// What Register() made with this key, if anything.
  Result<std::optional<Model>> MadeBefore(const std::string& workspace, const IdempotencyKey& key);
  /// `id`: "name:version" or a bare name (its newest version).
  Result<Model> Get(const std::string& workspace, const std::string& id);
  Result<Page<Model>> List(const std::string& workspace, const ModelFilter& filter,
                           const PageRequest& page);
  /// kNotFound; kInvalidArgument for a config whose source is not there.
  Result<Model> Change(const std::string& workspace, const std::string& id,
                       const ModelChange& change);
  /// kConflict while an unfinished profile uses it.
  Status Delete(const std::string& workspace, const std::string& id);
  /// The tar as it was given (uncompressed), after a look whether it still is. kInternal where it
  /// is damaged or missing, kUnavailable where others are looked at.
  Result<std::filesystem::path> Archive(const Model& model);
  /// The unpacked files, read-only.
  Result<std::filesystem::path> Files(const Model& model);
  /// Both, compared with what was registered (verified_tree.h); for containers.
  Result<VerifiedContent> Verified(const Model& model, const std::stop_token& stop);

 private:
  Database& database_;
  ContentStore& content_;
};

}  // namespace mlprof::server
