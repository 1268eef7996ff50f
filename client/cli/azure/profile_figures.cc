#include "client/cli/azure/profile_figures.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mlprof::client::cli {
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
