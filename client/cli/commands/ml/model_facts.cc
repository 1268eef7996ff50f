#include "client/cli/commands/ml/model_facts.h"

#include "client/cli/azure/az_output.h"
#include "client/cli/text_file.h"
#include "client/src/json_fields.h"
#include "common/json/json.h"

namespace mlprof::client::cli {

std::vector<OptionSpec> ModelFactOptions() {
  return {
      {{"--cpu-cores", "--cc"}, "CORES", "cores it is deployed with"},
      {{"--memory-gb", "--gb"}, "GIB", "memory it is deployed with"},
      {{"--gpu-cores", "--gc"}, "N", "GPUs it is deployed with"},
      {{"--sample-input-dataset-id"}, "ID", "a dataset of sample requests"},
      {{"--sample-output-dataset-id"}, "ID", "a dataset of sample responses"},
  };
}

Result<std::map<std::string, std::string>> ModelFacts(const Options& options) {
  static const std::map<std::string, std::string> kNames = {
      {"--experiment-name", "experimentName"},
      {"--run-id", "runId"},
      {"--model-framework", "framework"},
      {"--model-framework-version", "frameworkVersion"},
      {"--cpu-cores", "cpu"},
      {"--memory-gb", "memoryInGB"},
      {"--gpu-cores", "gpu"},
      {"--sample-input-dataset-id", "sampleInputDatasetId"},
      {"--sample-output-dataset-id", "sampleOutputDatasetId"},
  };
  for (const char* number : {"--cpu-cores", "--memory-gb", "--gpu-cores"}) {
    if (const auto value = options.Number(number, 0); !value) return Fail(value.error());
  }
  std::map<std::string, std::string> facts;
  for (const auto& [option, name] : kNames) {
    if (options.Has(option)) facts[kAzurePropertyPrefix + name] = options.Text(option);
  }
  return facts;
}

Status WriteModelMetadata(const std::filesystem::path& file, const Model& model,
                          const std::string& workspace) {
  Json json = {{"modelId", model.id}, {"workspaceName", workspace}};
  const std::size_t first = workspace.find('/');
  const std::size_t last = workspace.rfind('/');
  if (first != last) {
    json["subscriptionId"] = workspace.substr(0, first);
    json["resourceGroupName"] = workspace.substr(first + 1, last - first - 1);
    json["workspaceName"] = workspace.substr(last + 1);
  }
  return WriteTextFile(file, DumpJsonIndented(json) + "\n", false);
}

Result<std::string> ReadModelMetadata(const std::filesystem::path& file) {
  MLPROF_LET(text, ReadTextFile(file));
  const auto json = ParseJson(text);
  if (!json) return Fail(json.error().WithContext(file.string()));
  for (const char* key : {"modelId", "id"}) {
    if (std::string id = TextField(*json, key); !id.empty()) return id;
  }
  return Fail(InvalidArgument(file.string() + " names no model (modelId)"));
}

}  // namespace mlprof::client::cli
