#include "client/include/mlprof/models.h"

#include "client/src/connection.h"
#include "common/json/domain_json.h"
#include "common/json/model_weights_json.h"

namespace mlprof::client {
namespace {

Target ModelTarget(const std::string& id) { return Target("/models").Segment(id); }

}  // namespace

Result<Resource<Model>> Models::Register(const NewModel& model, const Upload& tar) {
  Target target("/models");
  target.Query("name", model.name).Query("description", model.description);
  for (const auto& [key, value] : model.tags) target.Query("tag", key + "=" + value);
  return Decoded(connection_.CallWithUpload(target, tar), &DecodeModel);
}

Result<Resource<Model>> Models::Get(const std::string& id) {
  return Decoded(connection_.Call("GET", ModelTarget(id)), &DecodeModel);
}

Result<Resource<ModelWeights>> Models::Weights(const std::string& id) {
  return Decoded(connection_.Call("GET", Target(ModelTarget(id).Text() + "/weights")),
                 &DecodeModelWeights);
}

Result<ResourceList<Model>> Models::List(const ModelFilter& filter) {
  Target target("/models");
  target.Query("name", filter.name).Query("tag", filter.tag);
  return DecodedAll(connection_.ListAll(target), &DecodeModel);
}

Result<Resource<Model>> Models::Update(const std::string& id, const ModelChanges& changes) {
  Json body = Json::object();
  if (changes.description) body["description"] = *changes.description;
  if (!changes.add_tags.empty()) body["addTags"] = changes.add_tags;
  if (!changes.remove_tags.empty()) body["removeTags"] = changes.remove_tags;
  if (!changes.add_properties.empty()) body["addProperties"] = changes.add_properties;
  if (changes.inference_config) {
    body["inferenceConfig"] = EncodeInferenceConfig(*changes.inference_config);
  }
  return Decoded(connection_.CallWithJson("PATCH", ModelTarget(id), body), &DecodeModel);
}

Status Models::Delete(const std::string& id) {
  return StatusOf(connection_.Call("DELETE", ModelTarget(id)));
}

Status Models::Download(const std::string& id, const std::filesystem::path& file) {
  return connection_.Download(Target(ModelTarget(id).Text() + "/content"), file);
}

}  // namespace mlprof::client
