#include "client/cli/output/tables.h"

#include "client/cli/output/details.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

std::string Joined(const std::map<std::string, std::string>& pairs) {
  std::string out;
  for (const auto& [key, value] : pairs) {
    out += (out.empty() ? "" : ", ") + key + "=" + value;
  }
  return out;
}

std::string ServedBy(const Model& model) {
  if (!model.inference_config) return "no inference config stored";
  if (const auto* image = std::get_if<ImageConfig>(&model.inference_config->service)) {
    return "image " + image->image;
  }
  return "entry script " +
         std::get<EntryScriptConfig>(model.inference_config->service).entry_script;
}

std::vector<std::string> Row(const Profile& profile) {
  std::string cpu = "-";
  std::string memory = "-";
  std::string verified = "-";
  if (profile.recommendation) {
    cpu = Figure(profile.recommendation->requested.cpu().value(), 4);
    memory = InMib(profile.recommendation->requested.memory());
    verified = profile.recommendation->verified ? "yes" : "no";
  }
  std::string models;
  for (const std::string& id : profile.request.model_ids) {
    models += (models.empty() ? "" : ",") + id;
  }
  return {profile.request.name, std::string(Name(profile.state)), cpu, memory, verified, models,
          Text(profile.created)};
}

}  // namespace

// It was read once already, so it can be read again.
Json JsonOfText(const std::string& text) {
  return ParseJson(text, {text.size() + 1, 64, 20'000'000}).value_or(Json());
}

Table ModelTable(const ResourceList<Model>& models) {
  Table table{{"ID", "SIZE", "CREATED", "TAGS"}, {}};
  for (const auto& [model, json] : models) {
    table.rows.push_back({model.id, Text(model.size), Text(model.created), Joined(model.tags)});
  }
  return table;
}

Table DatasetTable(const ResourceList<Dataset>& datasets) {
  Table table{{"ID", "ROWS", "DISTINCT", "SIZE", "CREATED"}, {}};
  for (const auto& [dataset, json] : datasets) {
    table.rows.push_back({dataset.id, std::to_string(dataset.row_count),
                          std::to_string(dataset.distinct_row_count), Text(dataset.size),
                          Text(dataset.created)});
  }
  return table;
}

Table ProfileTable(const ResourceList<Profile>& profiles) {
  Table table{{"NAME", "STATE", "CPU", "MEMORY", "VERIFIED", "MODELS", "CREATED"}, {}};
  for (const auto& [profile, json] : profiles) table.rows.push_back(Row(profile));
  return table;
}

std::string ModelDetails(const Model& model) {
  Details details;
  details.Line("model", model.id);
  details.Line("description", model.description);
  details.Line("size", Text(model.size));
  details.Line("sha256", model.sha256);
  details.Line("created", Text(model.created));
  details.Line("tags", Joined(model.tags));
  details.Line("properties", Joined(model.properties));
  details.Line("served by", ServedBy(model));
  return details.Take();
}

std::string DatasetDetails(const Dataset& dataset) {
  Details details;
  details.Line("dataset", dataset.id);
  details.Line("description", dataset.description);
  details.Line("rows", std::to_string(dataset.row_count) + " (" +
                           std::to_string(dataset.distinct_row_count) + " distinct)");
  details.Line("size", Text(dataset.size));
  details.Line("created", Text(dataset.created));
  for (const Warning& warning : dataset.warnings) details.Line("warning", warning.message);
  return details.Take();
}

}  // namespace mlprof::client::cli
