#include "server/rest/model_change_json.h"

#include "common/json/inference_config_json.h"
#include "common/json/json_reader.h"

namespace mlprof::server {

Result<ModelChange> DecodeModelChange(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  ModelChange change;
  change.description = reader.String("description", CheckDescription);
  Assign(change.add_tags, reader.StringMap("addTags", CheckTagKey, CheckTagValue));
  Assign(change.remove_tags, reader.Strings("removeTags", CheckTagKey));
  Assign(change.add_properties, reader.StringMap("addProperties", CheckTagKey, CheckTagValue));
  if (!MeansAbsentConfig(reader.Find("inferenceConfig", Null::kAbsent))) {
    if (auto config = reader.Object("inferenceConfig")) {
      change.inference_config = ReadInferenceConfig(*config, SourceRule::kNeedsSourceId);
    }
  }
  reader.RefuseUnknown();
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return change;
}

}  // namespace mlprof::server
