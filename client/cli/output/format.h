// The output formats. json is the REST resource and nothing else; yaml is the same values; tsv is
// the rows of the table without header, a tab between columns; none is nothing at all. CSV, which
// no --output names, is what exports are written in. Pure.
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

/// A JSON value as a YAML 1.2 document in block style, which ends in a line end. Text is quoted
/// wherever a YAML reader could take it for something else.
std::string Yaml(const Json& value);

/// One record as RFC 4180 has it: fields quoted where they need it; ends in CRLF. One that a
/// spreadsheet would run as a formula (it begins with = + - @, a tab or a CR, and is no number)
/// gets a ' in front.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace mlprof::client::cli
