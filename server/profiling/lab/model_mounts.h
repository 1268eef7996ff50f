// Where a profile's models and source lie inside the container.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/domain/inference_config.h"
#include "common/domain/model.h"
#include "server/runtime/runtime.h"

namespace mlprof {

struct ModelFiles {
  Model model;
  std::filesystem::path files;  // unpacked, on the host
};

struct ModelMounts {
  std::vector<Mount> mounts;
  std::string model_directory;  // AZUREML_MODEL_DIR
};

/// One model: its folder is the model directory (`modelMountPath`, else …/NAME/VERSION). Several:
/// each lies under NAME/VERSION below it. Pure.
ModelMounts PlaceModels(const std::vector<ModelFiles>& models, const InferenceConfig& config);

}  // namespace mlprof
