// The rows of a CSV text (RFC 4180) with one column. Pure.
#pragma once

#include <string_view>

#include "common/result/result.h"
#include "server/registry/row_sink.h"

namespace mlprof::server {

/// As DecodeRows. A fault in the structure (a second column, a stray or missing quote) ends it.
Status DecodeCsvRows(std::string_view body, bool has_header, RowSink& sink);

}  // namespace mlprof::server
