// Models as Azure ML's clients write and read them. What mlprof has no field for is a property
// "azureml.…" of the model, so that there is one truth. Pure.
#pragma once

#include <string>

#include "common/domain/model.h"
#include "common/json/json.h"
#include "server/registry/model_registry.h"

namespace mlprof::server {

/// A model's files, until and after it is registered: "aml://asset/" and the id of an asset, or of
/// the model itself.
inline constexpr const char* kAssetScheme = "aml://asset/";

struct AzureNewModel {
  NewModel model;  // without a workspace
  std::string asset_id;
  bool unpack = false;
};
/// kInvalidArgument with every bad field.
Result<AzureNewModel> DecodeAzureModel(const Json& json);

Json EncodeAzureModel(const Model& model);

/// A JSON patch of `model`: whole maps are put in place of the old ones.
Result<ModelChange> DecodeAzurePatch(const Json& json, const Model& model);

/// The filters of a list that the registry does not know.
struct AzureModelFilter {
  std::vector<TagFilter> properties;
  std::string framework;
  std::string dataset_id;
  std::string run_id;
  bool Fits(const Model& model) const;
};
/// "k=v,k2"
std::vector<TagFilter> ReadFilters(const std::string& text);

}  // namespace mlprof::server
