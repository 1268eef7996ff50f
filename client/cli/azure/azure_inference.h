// Azure's inference config as its command line reads it from a file: the entry script, and an
// environment written out, or a conda file and a base image beside it. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

struct AzureInference {
  std::string entry_script;
  std::string source_directory;  // "": the entry script alone is taken
  std::string conda_file;
  std::string base_image;  // with its registry's address in front; "" is mlprof's own
  std::string environment_name;
  std::vector<std::string> pip_packages;
  std::vector<std::string> conda_packages;  // "python=3.8.13" is one of them
  std::map<std::string, std::string> environment_variables;
  std::vector<std::string> notes;  // what is left out, sentences
};

/// Whether it is mlprof's own inference config: it has a key that Azure's does not have.
bool IsNativeInference(const Json& config);

/// kInvalidArgument with JSON pointers for members of the wrong type. What is not there stays
/// empty.
Result<AzureInference> ReadAzureInference(const Json& config);

/// "ADDRESS/IMAGE", unless the image names that registry already, or there is none.
std::string WithRegistry(const std::string& image, const std::string& address);

}  // namespace mlprof::client::cli
