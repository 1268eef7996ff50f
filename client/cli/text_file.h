// Whole small files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::client::cli {

Result<std::string> ReadTextFile(const std::filesystem::path& file);
/// Replaces `file` in one step, readable by its owner alone where `is_private`.
Status WriteTextFile(const std::filesystem::path& file, std::string_view text, bool is_private);

}  // namespace mlprof::client::cli
