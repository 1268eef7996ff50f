// The output formats. json is the REST resource and nothing else; yaml is the same values; tsv is
// the rows of the table without header, a tab between columns; none is nothing at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/json.h"

namespace mlprof::client::cli {

enum class OutputFormat { kTable, kJson, kYaml, kTsv, kNone };
/// Azure's names of coloured formats (jsonc, yamlc) mean the plain ones.
std::optional<OutputFormat> ParseOutputFormat(std::string_view name);

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// Columns padded to the same width, a header line first; ends in a line end.
std::string Aligned(const Table& table);
std::string TabSeparated(const Table& table);

/// `details` is what the table format shows.
std::string Formatted(OutputFormat format, const Json& json, const Table& table,
                      const std::string& details);

}  // namespace mlprof::client::cli
