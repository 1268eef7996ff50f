// A registered model: one version of a named folder of files.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/domain/inference_config.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof {

struct Model {
  std::string id;  // "name:version"
  std::string workspace;
  std::string name;
  int version = 0;
  std::string description;
  std::map<std::string, std::string> tags;
  std::map<std::string, std::string> properties;
  Bytes size;          // of the files, unpacked
  std::string sha256;  // hex digest of the content: of the tar, uncompressed
  Timestamp created;
  std::optional<InferenceConfig> inference_config;
};

}  // namespace mlprof
