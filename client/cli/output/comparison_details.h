// Variants side by side: the ranked table, the plots and what is recommended. All but
// PrintComparison is pure.
#pragma once

#include <string>

#include "client/cli/output/format.h"
#include "client/cli/session.h"
#include "client/include/mlprof/resource.h"
#include "common/domain/variant_comparison.h"

namespace mlprof::client::cli {

Table ComparisonListTable(const ResourceList<VariantComparison>& comparisons);
/// The variants, the ranked ones first.
Table VariantTable(const VariantComparison& comparison);
std::string ComparisonDetails(const VariantComparison& comparison);
/// "bf16: proven, 1 core, 512 MiB, p95 21.4 ms", or why it is not.
std::string ShortResult(const VariantResult& result);

/// In the form that the session was asked for.
void PrintComparison(Session& session, const Resource<VariantComparison>& comparison);

}  // namespace mlprof::client::cli
