// Conda environment files, as far as they say what is to be installed. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server::environment {

/// What is read of one: its Python, and the list under `pip:`.
struct CondaFile {
  std::string python_version;               // "3.8"; "" where it does not say
  std::vector<std::string> pip_packages;    // checked
  std::vector<std::string> conda_packages;  // the others, which are not installed
};

/// The `dependencies` of a YAML document (server/yaml/yaml_document.h says what is taken of YAML).
/// kInvalidArgument naming the line or the entry, kTooLarge.
Result<CondaFile> ParseCondaFile(const std::string& content);

/// Adds one of conda's own entries: "python=3.8", "numpy".
void AddCondaPackage(std::string_view entry, CondaFile& file);

}  // namespace mlprof::server::environment
