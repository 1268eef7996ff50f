// The rows of JSON and JSON-lines texts. Pure.
#pragma once

#include <string_view>

#include "common/result/result.h"
#include "server/registry/row_sink.h"

namespace mlprof::server {

/// As DecodeRows.
Status DecodeJsonRows(std::string_view body, RowSink& sink);
/// One line of JSON-lines.
void AddJsonLine(RowCollector& rows, std::string_view line);

}  // namespace mlprof::server
