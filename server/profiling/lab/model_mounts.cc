#include "server/profiling/lab/model_mounts.h"

#include "server/runtime/model_start.h"

namespace mlprof {
namespace {

std::string VersionFolder(const Model& model) {
  return model.name + "/" + std::to_string(model.version);
}

}  // namespace

ModelMounts PlaceModels(const std::vector<ModelFiles>& models, const InferenceConfig& config) {
  ModelMounts placed;
  const bool chosen = !config.model_mount_path.empty();
  const std::string root = chosen ? config.model_mount_path : kModelsMount;
  if (models.size() == 1) {
    placed.model_directory = chosen ? root : root + "/" + VersionFolder(models[0].model);
    placed.mounts.push_back({models[0].files, placed.model_directory});
    return placed;
  }
  placed.model_directory = root;
  for (const ModelFiles& model : models) {
    placed.mounts.push_back({model.files, root + "/" + VersionFolder(model.model)});
  }
  return placed;
}

}  // namespace mlprof
