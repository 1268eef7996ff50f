#include "server/azure/documents/model_json.h"

#include <algorithm>

#include "common/domain/azure_names.h"
#include "common/json/field_checks.h"
#include "common/json/json_reader.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMostEntries = 1000;

std::string Key(const std::string& name) { return kAzurePropertyPrefix + name; }

// A tag's value may be a number; the client reads it back as text.
std::string TextOf(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : DumpJson(value);
}

using Map = std::map<std::string, std::string>;

Map ReadMap(const Json* json, const std::string& pointer, std::vector<FieldError>& problems) {
  Map map;
  if (json == nullptr || json->is_null()) return map;
  if (!json->is_object() || json->size() > kMostEntries) {
    problems.push_back({pointer, "must be an object of at most 1000 members"});
    return map;
  }
  for (const auto& [key, value] : json->items()) {
    const std::string text = TextOf(value);
    std::string problem = CheckTagKey(key);
    if (problem.empty()) problem = CheckTagValue(text);
    if (!problem.empty()) problems.push_back({JoinPointer(pointer, key), std::move(problem)});
    map[key] = text;
  }
  return map;
}

const Json* Member(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

// One fact under its property.
void SaveFact(const std::string& text, const std::string& name, Map& properties,
              std::vector<FieldError>& problems) {
  if (std::string problem = CheckTagValue(text); !problem.empty()) {
    problems.push_back({"/" + name, std::move(problem)});
  }
  properties[Key(name)] = text;
}

void ReadFact(const Json& json, const char* name, Map& properties,
              std::vector<FieldError>& problems) {
  const Json* value = Member(json, name);
  if (value != nullptr) SaveFact(TextOf(*value), name, properties, problems);
}

// "aml://dataset/GUID" is kept as the GUID.
void ReadSample(const Json& json, const char* member, const std::string& name, Map& properties,
                std::vector<FieldError>& problems) {
  const Json* value = Member(json, member);
  if (value == nullptr || !value->is_string()) return;
  const auto text = value->get<std::string>();
  SaveFact(text.substr(text.rfind('/') + 1), name, properties, problems);
}

void ReadFacts(const Json& json, Map& properties, std::vector<FieldError>& problems) {
  for (const char* name :
       {"framework", "frameworkVersion", "mimeType", "runId", "experimentName"}) {
    ReadFact(json, name, properties, problems);
  }
  const Json* datasets = Member(json, "datasets");
  if (datasets != nullptr && !datasets->empty()) ReadFact(json, "datasets", properties, problems);
  const Json* resources = Member(json, "resourceRequirements");
  for (const char* name : {"cpu", "memoryInGB", "gpu"}) {
    if (resources && resources->is_object()) ReadFact(*resources, name, properties, problems);
  }
  ReadSample(json, "sampleInputData", "sampleInputDatasetId", properties, problems);
  ReadSample(json, "sampleOutputData", "sampleOutputDatasetId", properties, problems);
}

std::string Fact(const Model& model, const std::string& name) {
  const auto found = model.properties.find(Key(name));
  return found == model.properties.end() ? "" : found->second;
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// What was written as JSON, a number or a list.
Json ValueOf(const std::string& text) {
  auto value = ParseJson(text);
  return value ? std::move(*value) : Json(nullptr);
}

Json Resources(const Model& model) {
  Json resources = {{"cpu", nullptr}, {"memoryInGB", nullptr}, {"gpu", nullptr}};
  bool any = false;
  for (const char* name : {"cpu", "memoryInGB", "gpu"}) {
    const std::string text = Fact(model, name);
    if (text.empty()) continue;
    resources[name] = ValueOf(text);
    any = true;
  }
  return any ? resources : Json(nullptr);
}

Json SampleJson(const Model& model, const std::string& name) {
  const std::string id = Fact(model, name);
  return id.empty() ? Json(nullptr) : Json("aml://dataset/" + id);
}

bool Has(const Map& map, const TagFilter& filter) {
  const auto found = map.find(filter.key);
  return found != map.end() && (!filter.value || found->second == *filter.value);
}

// One operation of a patch.
void PatchOne(const std::string& path, const Json& value, const Model& model, ModelChange& change,
              std::vector<FieldError>& problems) {
  if (path == "/kvTags") {
    change.add_tags = ReadMap(&value, path, problems);
    for (const auto& [key, old] : model.tags) {
      if (!change.add_tags.contains(key)) change.remove_tags.push_back(key);
    }
  } else if (path == "/properties") {
    for (auto& [key, text] : ReadMap(&value, path, problems)) change.add_properties[key] = text;
  } else if (path == "/description") {
    change.description = value.is_string() ? value.get<std::string>() : "";
    if (std::string problem = CheckDescription(*change.description); !problem.empty()) {
      problems.push_back({path, std::move(problem)});
    }
  } else {
    const std::string name = path.substr(std::min<std::size_t>(1, path.size()));
    Map facts;
    ReadFacts({{name, value}}, facts, problems);
    const bool known = name == "datasets" || name == "resourceRequirements" ||
                       name == "sampleInputData" || name == "sampleOutputData" ||
                       name == "framework" || name == "frameworkVersion";
    if (!known) problems.push_back({path, "cannot be changed"});
    for (auto& [key, text] : facts) change.add_properties[key] = text;
  }
}

}  // namespace

Result<AzureNewModel> DecodeAzureModel(const Json& json) {
  std::vector<FieldError> problems;
  AzureNewModel wanted;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  wanted.model.name = reader.String("name").value_or("");
  if (std::string problem = CheckName(wanted.model.name); !problem.empty()) {
    problems.push_back({"/name", std::move(problem)});
  }
  Assign(wanted.model.description, reader.String("description"));
  if (std::string problem = CheckDescription(wanted.model.description); !problem.empty()) {
    problems.push_back({"/description", std::move(problem)});
  }
  const std::string url = reader.String("url").value_or("");
  if (url.starts_with(kAssetScheme)) {
    wanted.asset_id = url.substr(std::string_view(kAssetScheme).size());
  } else {
    problems.push_back({"/url", "must be aml://asset/ID"});
  }
  wanted.unpack = reader.Boolean("unpack").value_or(false);
  wanted.model.tags = ReadMap(reader.Find("kvTags"), "/kvTags", problems);
  wanted.model.properties = ReadMap(reader.Find("properties"), "/properties", problems);
  if (json.is_object()) ReadFacts(json, wanted.model.properties, problems);
  Map& properties = wanted.model.properties;
  std::erase_if(properties, [](const auto& property) {
    return property.first == Key("framework") && property.second == kNoAzureFramework;
  });
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return wanted;
}

Json EncodeAzureModel(const Model& model) {
  Map properties;
  for (const auto& [key, value] : model.properties) {
    if (!key.starts_with(kAzurePropertyPrefix)) properties[key] = value;
  }
  const std::string framework = Fact(model, "framework");
  const std::string mime_type = Fact(model, "mimeType");
  const Json datasets = ValueOf(Fact(model, "datasets"));
  return {{"id", model.id},
          {"name", model.name},
          {"version", model.version},
          {"url", kAssetScheme + model.id},
          {"mimeType", mime_type.empty() ? "application/octet-stream" : mime_type},
          {"unpack", false},
          {"description", TextOrNull(model.description)},
          {"createdTime", FormatTimestamp(model.created)},
          {"modifiedTime", FormatTimestamp(model.created)},
          {"kvTags", model.tags},
          {"properties", properties},
          {"datasets", datasets.is_array() ? datasets : Json::array()},
          {"framework", framework.empty() ? kNoAzureFramework : framework},
          {"frameworkVersion", TextOrNull(Fact(model, "frameworkVersion"))},
          {"resourceRequirements", Resources(model)},
          {"sampleInputData", SampleJson(model, "sampleInputDatasetId")},
          {"sampleOutputData", SampleJson(model, "sampleOutputDatasetId")},
          {"runId", TextOrNull(Fact(model, "runId"))},
          {"experimentName", TextOrNull(Fact(model, "experimentName"))}};
}

Result<ModelChange> DecodeAzurePatch(const Json& json, const Model& model) {
  if (!json.is_array() || json.size() > kMostEntries) {
    return Fail(InvalidArgument("the body must be a JSON patch, a list of operations"));
  }
  std::vector<FieldError> problems;
  ModelChange change;
  for (const Json& operation : json) {
    JsonReader reader(operation, "", JsonReader::Mode::kResource, problems);
    const std::string kind = reader.String("op").value_or("");
    const std::string path = reader.String("path").value_or("");
    if (kind != "replace" && kind != "add") {
      problems.push_back({path, "may only be replaced or added to"});
      continue;
    }
    const Json* value = reader.Find("value");
    PatchOne(path, value ? *value : Json(nullptr), model, change, problems);
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return change;
}

bool AzureModelFilter::Fits(const Model& model) const {
  const auto is = [&](const char* name, const std::string& wanted) {
    return wanted.empty() || Fact(model, name) == wanted;
  };
  const bool has_dataset =
      dataset_id.empty() ||
      Fact(model, "datasets").find("\"" + dataset_id + "\"") != std::string::npos;
  return has_dataset && is("runId", run_id) && is("framework", framework) &&
         std::all_of(properties.begin(), properties.end(),
                     [&](const TagFilter& filter) { return Has(model.properties, filter); });
}

std::vector<TagFilter> ReadFilters(const std::string& text) {
  std::vector<TagFilter> filters;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string item(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) {
      filters.push_back({item, std::nullopt});
    } else {
      filters.push_back({item.substr(0, equals), item.substr(equals + 1)});
    }
  }
  return filters;
}

}  // namespace mlprof::server
