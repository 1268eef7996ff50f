// Which packages an environment asks for, by strict grammar: names, extras, versions and markers;
// no options, addresses or paths, which would let a request choose what the host fetches. Single
// packages, requirements files and conda files. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server::environment {

/// Success for "name[extra,…] version-clauses ; marker". kInvalidArgument, naming the text, else.
Status CheckPackageSpec(std::string_view spec);

/// The packages of a requirements file. kInvalidArgument naming the line that holds something else.
Result<std::vector<std::string>> ParseRequirements(std::string_view content);

/// What is read of a conda environment file, as far as it says what is to be installed: its Python,
/// and the list under `pip:`.
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
