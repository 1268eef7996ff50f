// Profiles of variants as they ended, for tests of how these are compared.
#pragma once

#include <optional>
#include <string>

#include "common/domain/variant_comparison.h"

namespace mlprof::server {

inline Profile VariantProfile(Cores cpu, Bytes memory, double p95_ms, double requests_per_second,
                              bool verified = true) {
  Profile profile;
  profile.state = ProfileState::kSucceeded;
  profile.recommendation.emplace();
  profile.recommendation->requested = {cpu, memory};
  profile.recommendation->verified = verified;
  profile.measurements.emplace();
  profile.measurements->latency_p95_ms = p95_ms;
  profile.measurements->queries_per_second = requests_per_second;
  return profile;
}

inline Profile EndedVariant(ProfileState state) {
  Profile profile;
  profile.state = state;
  return profile;
}

/// A comparison of as many variants as there are profiles, named "v0", "v1", …
struct MadeUpComparison {
  ComparisonRecord record;
  std::vector<std::optional<Profile>> profiles;

  MadeUpComparison& With(std::optional<Profile> profile) {
    const std::string number = std::to_string(profiles.size());
    Variant variant;
    variant.name = "v" + number;
    record.request.base.name = "made-up";
    record.request.variants.push_back(variant);
    record.profile_ids.push_back("id" + number);
    if (profile) profile->request.name = "made-up." + variant.name;
    profiles.push_back(std::move(profile));
    return *this;
  }
};

}  // namespace mlprof::server
