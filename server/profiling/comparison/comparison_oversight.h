// The say of comparisons in the runs of their variants: each begins with its share of their budget,
// and one that is beaten ends early. Of a profile of its own it says nothing. Thread-safe; what
// cannot be read is logged, and the run goes on as it was asked for.
#pragma once

#include "common/domain/variant_comparison.h"
#include "server/profiling/progress/oversight.h"
#include "server/storage/comparison_repository.h"
#include "server/storage/profile_repository.h"

namespace mlprof::server {

class ComparisonOversight final : public RunOversight {
 public:
  /// Both must outlive it.
  ComparisonOversight(ComparisonRepository& comparisons, ProfileRepository& profiles)
      : comparisons_(comparisons), profiles_(profiles) {}

  void Beginning(Profile& profile) override;
  std::optional<std::string> WhyEnd(const Profile& profile, std::string_view phase) override;

 private:
  std::optional<ComparisonRecord> ComparisonOf(const std::string& profile_id);

  ComparisonRepository& comparisons_;
  ProfileRepository& profiles_;
};

}  // namespace mlprof::server
