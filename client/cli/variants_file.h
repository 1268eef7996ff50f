// The file of `mlprof profile --variants FILE` (api/variants.schema.json): alternatives of one
// profile. Paths in it are relative to it; the folders of its entry scripts are uploaded.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "client/cli/inference_config_file.h"
#include "client/cli/session.h"
#include "common/domain/variant_comparison.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

struct VariantsFile {
  VariantComparisonRequest request;  // of its base the budget alone, where the file names one
  /// Of the variants that bring a config of their own.
  std::vector<std::optional<LocalInferenceConfig>> configs;
};

/// Reads and checks it, the files it names included; nothing is uploaded. kInvalidArgument naming
/// the file and the JSON pointers.
Result<VariantsFile> ReadVariantsFile(const std::filesystem::path& file);

/// Uploads what its variants need and gives the comparison to ask for; `base` is what all variants
/// have in common.
Result<VariantComparisonRequest> UploadVariants(Session& session, Client& client, VariantsFile file,
                                                ProfileRequest base);

}  // namespace mlprof::client::cli
