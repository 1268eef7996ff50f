// Comparisons of variants: their questions, and which profiles answer them. Every method is one
// transaction. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/domain/variant_comparison.h"
#include "common/result/result.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/page.h"

namespace mlprof::server {

class Database;

struct CreatedComparison {
  ComparisonRecord record;
  bool replayed = false;  // the idempotency key was known: this is the comparison it made
};

class ComparisonRepository {
 public:
  explicit ComparisonRepository(Database& database) : database_(database) {}

  /// Stores all of them or nothing. kConflict where the name of the comparison or of a profile is
  /// in use, kInvalidArgument for a source that is not there, kKeyReused.
  Result<CreatedComparison> Create(const ComparisonRecord& record,
                                   const std::vector<Profile>& profiles, const IdempotencyKey& key);
  /// What Create made under this key; none for a new key. kKeyReused.
  Result<std::optional<ComparisonRecord>> MadeBefore(const std::string& workspace,
                                                     const IdempotencyKey& key);
  /// By name or id.
  Result<ComparisonRecord> Get(const std::string& workspace, const std::string& name_or_id);
  Result<Page<ComparisonRecord>> List(const std::string& workspace, const PageRequest& page);
  /// Of which the profile answers a variant, if any.
  Result<std::optional<ComparisonRecord>> OfProfile(const std::string& profile_id);
  /// Its profiles stay. Does nothing where there is none.
  Status Delete(const ComparisonRecord& record);

 private:
  Database& database_;
};

}  // namespace mlprof::server
