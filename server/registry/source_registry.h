// Sources: folders with an entry script and what belongs to it, by content. Thread-safe.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "common/http/message.h"
#include "common/result/result.h"
#include "server/storage/idempotency.h"

namespace mlprof {

class Database;
class ContentStore;

class SourceRegistry {
 public:
  SourceRegistry(Database& database, ContentStore& content);

  /// "sha256:…" of the tar, uncompressed; the same content gives the same id.
  /// kKeyReused where the key was used for another request.
  Result<std::string> Register(const std::string& workspace, const SpooledBody& tar,
                               const IdempotencyKey& key = {});
  Result<bool> Exists(const std::string& workspace, const std::string& id);
  /// The unpacked folder, read-only, compared with what was registered (verified_tree.h); to be
  /// mounted. kNotFound for an unknown id too.
  Result<std::filesystem::path> VerifiedFiles(const std::string& workspace, const std::string& id,
                                              const std::stop_token& stop);

 private:
  Database& database_;
  ContentStore& content_;
};

}  // namespace mlprof
