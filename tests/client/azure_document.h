// What a server says of a profile at /profiles/{name}/azure.
#pragma once

#include "client/cli/text_file.h"
#include "common/json/json.h"

namespace mlprof::client::cli {

/// As the server's own tests hold it, with `changes` of some of its members.
inline Json AzureProfileDocument(const Json& changes = Json::object()) {
  const std::string file = std::string(MLPROF_SOURCE_DIR) + "/tests/golden/cli/ml_profile.json";
  Json document = ParseJson(ReadTextFile(file).value()).value();
  document.update(changes);
  return document;
}

}  // namespace mlprof::client::cli
