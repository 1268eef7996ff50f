// The rows of an uploaded file. Texts whose rows are lines are read piece by piece, however long;
// others are read whole.
#pragma once

#include <filesystem>
#include <string_view>

#include "common/result/result.h"
#include "server/registry/row_sink.h"

namespace mlprof::server {

/// Errors as of DecodeRows and of the sink; kTooLarge for a line, or a whole text of another type,
/// of more than kMaxDatasetText.
Status DecodeUpload(std::string_view content_type, const std::filesystem::path& file,
                    RowSink& rows);

}  // namespace mlprof::server
