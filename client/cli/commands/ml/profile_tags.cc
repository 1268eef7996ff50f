#include "client/cli/commands/ml/profile_tags.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "client/cli/command.h"

namespace mlprof::client::cli {

Status CheckProfileTags(const Options& options) {
  for (const std::string& tag : options.All("--add-tag")) {
    const std::size_t equals = tag.find('=');
    if (equals == 0 || tag.empty())
      return WrongUse("--add-tag must be KEY=VALUE, not '" + tag + "'");
    if (equals == std::string::npos && !IsProfileFigure(tag)) {
      return WrongUse("--add-tag " + tag + " has no value, and a profile has no figure of that " +
                      "name (give KEY=VALUE, or a figure such as requestedCpu)");
    }
  }
  return {};
}

Status AddProfileTags(Session& session, Client& client, const Options& options,
                      const Profile& profile, const Json& azure_profile) {
  if (!options.Has("--add-tag")) return {};
  if (!profile.recommendation) {
    session.Say("no model is tagged: there is no answer");
    return {};
  }
  ModelChanges changes;
  for (const std::string& tag : options.All("--add-tag")) {
    const std::size_t equals = tag.find('=');
    const std::string key = tag.substr(0, equals);
    const std::string value =
        equals == std::string::npos ? ProfileFigure(azure_profile, key) : tag.substr(equals + 1);
    if (equals == std::string::npos && value.empty()) {
      session.Say("no tag " + key + ": the profile does not have that figure");
    } else {
      changes.add_tags[key] = value;
    }
  }
  if (changes.add_tags.empty()) return {};
  for (const std::string& id : profile.request.model_ids) {
    if (const auto tagged = client.models().Update(id, changes); !tagged) {
      return Fail(tagged.error());
    }
    session.Say("tagged model " + id);
  }
  return {};
}

namespace {

// Known without a server, so that a tag of another name is refused before anything is run.
constexpr std::array<std::string_view, 27> kFigures = {"id",
                                                       "name",
                                                       "description",
                                                       "createdTime",
                                                       "state",
                                                       "inputDatasetId",
                                                       "modelIds",
                                                       "environment",
                                                       "error",
                                                       "errorLogsUri",
                                                       "recommendedCpu",
                                                       "recommendedMemoryInGB",
                                                       "requestedCpu",
                                                       "requestedMemoryInGB",
                                                       "requestedQueriesPerSecond",
                                                       "maxUtilizedCpu",
                                                       "maxUtilizedMemoryInGB",
                                                       "totalQueries",
                                                       "successQueries",
                                                       "successRate",
                                                       "averageLatencyInMs",
                                                       "latencyPercentile50InMs",
                                                       "latencyPercentile90InMs",
                                                       "latencyPercentile95InMs",
                                                       "latencyPercentile99InMs",
                                                       "latencyPercentile999InMs",
                                                       "measuredQueriesPerSecond"};

// Microsoft's page tags a model with "requestedMemoryInGb", a key its own client does not have.
std::string KeyOf(const std::string& name) {
  if (!name.ends_with("InGb")) return name;
  return name.substr(0, name.size() - 1) + "B";
}

}  // namespace

bool IsProfileFigure(const std::string& name) {
  return std::ranges::find(kFigures, KeyOf(name)) != kFigures.end();
}

std::string ProfileFigure(const Json& azure_profile, const std::string& name) {
  const auto found = azure_profile.find(KeyOf(name));
  if (found == azure_profile.end() || found->is_null() || found->is_structured()) return "";
  return found->is_string() ? found->get<std::string>() : DumpJson(*found);
}

}  // namespace mlprof::client::cli
