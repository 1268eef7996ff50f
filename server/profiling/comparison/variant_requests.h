// From what a comparison was asked to the profiles that it is made of. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/domain/variant_comparison.h"
#include "common/result/result.h"

namespace mlprof::server {

/// The request of each variant's profile, in their order. `config` is the comparison's own, or the
/// first model's stored one where it names none; absent: there is none. What is wrong is added to
/// `problems`.
std::vector<ProfileRequest> RequestsOf(const VariantComparisonRequest& comparison,
                                       const std::optional<InferenceConfig>& config,
                                       std::vector<FieldError>& problems);

/// "/inferenceConfig/…" of a variant's profile, as the caller of the comparison finds it: within
/// the variant where that has brought it. `shared_config`: all variants begin with one.
std::string PointerInComparison(const std::string& pointer, const Variant& variant,
                                std::size_t index, bool shared_config);

/// Variants that ask the same of the same: a problem at each that has a like before it, and at that
/// one. `requests` as they were resolved.
void RefuseAlike(const std::vector<ProfileRequest>& requests, std::vector<FieldError>& problems);

}  // namespace mlprof::server
