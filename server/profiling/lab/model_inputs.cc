#include "server/profiling/lab/model_inputs.h"

#include "server/runtime/model_start.h"

namespace mlprof::server {
namespace {

std::string VersionFolder(const Model& model) {
  return model.name + "/" + std::to_string(model.version);
}

ContentInput InputAt(const std::string& inside, const ModelFiles& model) {
  return {model.model.sha256, model.model.size, inside, model.files};
}

}  // namespace

PlacedModels PlaceModels(const std::vector<ModelFiles>& models, const InferenceConfig& config) {
  PlacedModels placed;
  const bool chosen = !config.model_mount_path.empty();
  const std::string root = chosen ? config.model_mount_path : kModelsMount;
  if (models.size() == 1) {
    placed.model_directory = chosen ? root : root + "/" + VersionFolder(models[0].model);
    placed.inputs.push_back(InputAt(placed.model_directory, models[0]));
    return placed;
  }
  placed.model_directory = root;
  for (const ModelFiles& model : models) {
    placed.inputs.push_back(InputAt(root + "/" + VersionFolder(model.model), model));
  }
  return placed;
}

}  // namespace mlprof::server
