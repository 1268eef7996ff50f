// The models of a workspace.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/model.h"
#include "common/domain/model_weights.h"
#include "common/result/result.h"
#include "mlprof/resource.h"
#include "mlprof/upload.h"

namespace mlprof::client {

class Connection;

struct NewModel {
  std::string name;
  std::string description;
  std::map<std::string, std::string> tags;
};

struct ModelChanges {
  std::optional<std::string> description;
  std::map<std::string, std::string> add_tags;
  std::vector<std::string> remove_tags;
  std::map<std::string, std::string> add_properties;
  std::optional<InferenceConfig> inference_config;
};

struct ModelFilter {
  std::string name;  // "" is any
  std::string tag;   // "key" or "key=value"
};

class Models {
 public:
  explicit Models(Connection& connection) : connection_(connection) {}

  /// `tar` is uploaded as application/x-tar and becomes the next version.
  Result<Resource<Model>> Register(const NewModel& model, const Upload& tar);
  /// "name:version", or a bare name for its newest version.
  Result<Resource<Model>> Get(const std::string& id);
  /// What its files say of its parameters.
  Result<Resource<ModelWeights>> Weights(const std::string& id);
  Result<ResourceList<Model>> List(const ModelFilter& filter);
  Result<Resource<Model>> Update(const std::string& id, const ModelChanges& changes);
  Status Delete(const std::string& id);
  /// Writes the model's tar to `file`.
  Status Download(const std::string& id, const std::filesystem::path& file);

 private:
  Connection& connection_;
};

}  // namespace mlprof::client
