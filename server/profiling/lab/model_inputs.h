// Where a profile's models lie inside the container.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/domain/inference_config.h"
#include "common/domain/model.h"
#include "server/runtime/content_input.h"

namespace mlprof::server {

struct ModelFiles {
  Model model;
  std::shared_ptr<const ContentReader> files;
};

struct PlacedModels {
  std::vector<ContentInput> inputs;
  std::string model_directory;  // AZUREML_MODEL_DIR
};

/// One model: its folder is the model directory (`modelMountPath`, else …/NAME/VERSION). Several:
/// each lies under NAME/VERSION below it. Pure.
PlacedModels PlaceModels(const std::vector<ModelFiles>& models, const InferenceConfig& config);

}  // namespace mlprof::server
