// Rows read from their packed file (packed_rows.h) when they are needed.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "common/domain/row_source.h"

namespace mlprof::server {

/// Reads the file once: its SHA-256 must be `sha256`, and where its rows lie is kept. The file must
/// not change while the source lives. kInternal where it does not have that digest, kCancelled at
/// the stop. What is read later is not compared with the digest again; a row whose length has
/// changed is kInternal.
Result<std::unique_ptr<RowSource>> OpenPackedRows(const std::filesystem::path& file,
                                                  const std::string& sha256,
                                                  const std::stop_token& stop = {});

}  // namespace mlprof::server
