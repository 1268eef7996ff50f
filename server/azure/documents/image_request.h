// How a profile of Azure ML's clients is to be served ("environmentImageRequest"), as an inference
// config and what its source is made of. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/domain/inference_config.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::server {

struct AzureImageRequest {
  struct Asset {
    std::string name;      // of the file at the source's root, where it is not unpacked
    std::string artifact;  // "LocalUpload/9cb577d7/a90987d2.tar.gz"
    bool unpack = false;
  };

  std::vector<std::string> model_ids;
  InferenceConfig config;       // an entry script, its sourceId still to come
  std::vector<Asset> assets;    // of the source: without the driver, which mlprof does not need
  std::string driver_artifact;  // "" where there is none
  bool has_environment =
      true;  // else the driver alone knows the entry script: CompleteFromDriver()
};

/// kInvalidArgument with every bad field, pointers beginning with /environmentImageRequest.
Result<AzureImageRequest> DecodeImageRequest(const Json& json);
/// Puts the entry script that `driver` loads into a request without an environment.
/// kInvalidArgument.
Status CompleteFromDriver(std::string_view driver, AzureImageRequest& image);

}  // namespace mlprof::server
