#include "server/rest/model_requests.h"

#include "common/json/inference_config_json.h"
#include "common/json/json_reader.h"

namespace mlprof::server {
namespace {

TagFilter Split(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool Check(const TagFilter& tag, QueryReader& query) {
  std::string problem = CheckTagKey(tag.key);
  if (problem.empty() && tag.value) problem = CheckTagValue(*tag.value);
  if (problem.empty()) return true;
  query.Problem("tag", std::move(problem));
  return false;
}

}  // namespace

std::map<std::string, std::string> ReadTags(QueryReader& query) {
  std::map<std::string, std::string> tags;
  for (const std::string& text : query.Repeated("tag")) {
    const TagFilter tag = Split(text);
    if (!tag.value) {
      query.Problem("tag", "must be KEY=VALUE");
    } else if (Check(tag, query) && !tags.emplace(tag.key, *tag.value).second) {
      query.Problem("tag", "gives the key " + tag.key + " twice");
    }
  }
  return tags;
}

std::vector<TagFilter> ReadTagFilters(QueryReader& query) {
  std::vector<TagFilter> filters;
  for (const std::string& text : query.Repeated("tag")) {
    TagFilter tag = Split(text);
    if (Check(tag, query)) filters.push_back(std::move(tag));
  }
  return filters;
}

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
