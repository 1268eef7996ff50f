#include "client/cli/azure/azure_model_json.h"

#include <charconv>

namespace mlprof::client::cli {
namespace {

std::string Property(const Model& model, const std::string& name, const std::string& none = "") {
  const auto found = model.properties.find(kAzurePropertyPrefix + name);
  return found == model.properties.end() ? none : found->second;
}

Json NumberProperty(const Model& model, const std::string& name) {
  const std::string text = Property(model, name);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return text;
  return value;
}

Json PairsOrNothing(const std::map<std::string, std::string>& pairs) {
  return pairs.empty() ? Json("") : Json(pairs);
}

}  // namespace

std::map<std::string, std::string> OwnProperties(const Model& model) {
  std::map<std::string, std::string> own = model.properties;
  std::erase_if(own, [](const auto& pair) { return pair.first.starts_with(kAzurePropertyPrefix); });
  return own;
}

Json AzureModelJson(const Model& model) {
  return {{"cpu", NumberProperty(model, "cpu")},
          {"createdTime", AzTime(model.created)},
          {"description", model.description},
          {"experimentName", Property(model, "experimentName")},
          {"framework", Property(model, "framework", kNoAzureFramework)},
          {"frameworkVersion", Property(model, "frameworkVersion")},
          {"gpu", NumberProperty(model, "gpu")},
          {"id", model.id},
          {"memoryInGB", NumberProperty(model, "memoryInGB")},
          {"name", model.name},
          {"properties", PairsOrNothing(OwnProperties(model))},
          {"runId", Property(model, "runId")},
          {"sampleInputDatasetId", Property(model, "sampleInputDatasetId")},
          {"sampleOutputDatasetId", Property(model, "sampleOutputDatasetId")},
          {"tags", PairsOrNothing(model.tags)},
          {"version", model.version}};
}

}  // namespace mlprof::client::cli
