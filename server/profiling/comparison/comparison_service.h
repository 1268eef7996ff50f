// Comparisons as their users see them: create, look at, cancel, delete. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "common/domain/variant_comparison.h"
#include "common/result/result.h"
#include "server/storage/comparison_repository.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/page.h"

namespace mlprof::server {

class ModelRegistry;
class ProfileService;

class ComparisonService {
 public:
  /// All must outlive it.
  ComparisonService(ComparisonRepository& comparisons, ProfileService& profiles,
                    ModelRegistry& models)
      : comparisons_(comparisons), profiles_(profiles), models_(models) {}

  /// Makes a profile of each variant and queues them, all or none. kInvalidArgument with pointers
  /// into the comparison; kConflict where its name or that of one of its profiles is in use;
  /// kKeyReused, kResourceExhausted, kNotAvailable as of a profile.
  Result<VariantComparison> Create(const std::string& workspace,
                                   const VariantComparisonRequest& request,
                                   const IdempotencyKey& key);
  /// As its profiles are now.
  Result<VariantComparison> Get(const std::string& workspace, const std::string& name_or_id);
  Result<Page<VariantComparison>> List(const std::string& workspace, const PageRequest& page);
  /// Of all profiles that are not finished; kConflict where all are. They end soon after.
  Result<VariantComparison> Cancel(const std::string& workspace, const std::string& name_or_id);
  /// With its profiles. kConflict while one is not finished.
  Status Delete(const std::string& workspace, const std::string& name_or_id);

 private:
  /// Of all variants; kInvalidArgument with every bad field.
  Result<std::vector<Profile>> MakeProfiles(const std::string& workspace,
                                            const VariantComparisonRequest& request);
  Result<std::vector<std::optional<Profile>>> ProfilesOf(const ComparisonRecord& record);
  Result<VariantComparison> Shown(const ComparisonRecord& record);

  ComparisonRepository& comparisons_;
  ProfileService& profiles_;
  ModelRegistry& models_;
};

}  // namespace mlprof::server
