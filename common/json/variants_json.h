// What a comparison of variants is asked: the body of POST /comparisons, its stored record, and the
// part of both that a file of the command line has too (api/variants.schema.json).
#pragma once

#include <chrono>
#include <vector>

#include "common/domain/variant_comparison.h"
#include "common/json/domain_json.h"
#include "common/json/json_reader.h"

namespace mlprof {

/// As many as are taken: each keeps the machine for minutes.
inline constexpr std::size_t kMostVariants = 50;
/// What each is given of a budget at least: less does not hold a start and its load.
inline constexpr std::chrono::seconds kLeastVariantBudget{10};

/// Reads `variants`, `prices` and `rankBy` of `reader`'s object; what is wrong goes to its list,
/// an unknown member of a variant with those that are allowed.
void ReadVariants(JsonReader& reader, SourceRule rule, VariantComparisonRequest& request);
/// Refuses a budget that is too short for so many variants, at the reader's `budgetSeconds`.
void CheckSharedBudget(JsonReader& reader, const VariantComparisonRequest& request);
/// What is wrong is added to `problems`.
VariantComparisonRequest DecodeComparisonRequest(const Json& json,
                                                 std::vector<FieldError>& problems);

Json EncodeVariant(const Variant& variant);
/// Adds `variants`, `prices` and `rankBy`.
void EncodeVariantsInto(Json& json, const VariantComparisonRequest& request);

/// The request as the database keeps it.
Json EncodeStoredRequest(const VariantComparisonRequest& request);
Result<VariantComparisonRequest> DecodeStoredRequest(const Json& json);

}  // namespace mlprof
