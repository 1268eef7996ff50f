#include "server/runtime/process/model_plan.h"

#include <algorithm>
#include <numeric>

#include "common/text/cpuset.h"
#include "server/runtime/model_start.h"

namespace mlprof::server::process {
namespace {

using Kind = SandboxStep::Kind;

constexpr const char* kPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool HostHas(const std::string& path, HostEntry::Kind kind, const ListFolder& list) {
  const std::filesystem::path whole(path);
  const auto entries = list(whole.parent_path().string());
  return std::any_of(entries.begin(), entries.end(), [&](const HostEntry& entry) {
    return entry.name == whole.filename().string() && entry.kind == kind;
  });
}

OwnPlace Layered(const WritableLayer& layer, Apart apart, const ListFolder& list) {
  if (!HostHas(layer.inside, HostEntry::Kind::kFolder, list)) {
    return {Kind::kWritable, layer.upper.string(), layer.inside};
  }
  // As an ordinary user the kernel keeps its marks in attributes that such a user may write.
  const std::string marks = apart == Apart::kAsUser ? ",userxattr" : "";
  return {Kind::kLayer,
          "lowerdir=" + layer.inside + ",upperdir=" + layer.upper.string() +
              ",workdir=" + layer.work.string() + marks,
          layer.inside};
}

std::vector<OwnPlace> PlacesOf(const LaunchRequest& request, const ModelPlaces& places, Apart apart,
                               const ListFolder& list) {
  const int version = places.cgroup != nullptr ? places.cgroup->version() : 0;
  std::vector<OwnPlace> own =
      SystemPlaces(request.config.shm_size, version,
                   places.cgroup != nullptr ? places.cgroup->by_controller()
                                            : std::map<std::string, std::string>(),
                   list);
  own.push_back({Kind::kReadOnly, places.agent.string(), kAgentProgram});
  own.push_back({Kind::kWritable, (places.folder / kTmpFolder).string(), "/tmp"});
  own.push_back({Kind::kWritable, (places.folder / kHomeFolder).string(), kModelHome});
  for (const auto& [here, inside] : places.inputs) {
    own.push_back({Kind::kReadOnly, here.string(), inside});
  }
  if (!places.environment.empty()) {
    own.push_back({Kind::kReadOnly, places.environment.string(), kEnvironmentFolder});
  }
  for (const WritableLayer& layer : LayersOf(request.config, places.folder)) {
    own.push_back(Layered(layer, apart, list));
  }
  return own;
}

}  // namespace

bool HasOwnNetwork(const InferenceConfig& config, Apart apart) {
  return apart != Apart::kNot && config.network == NetworkMode::kNone;
}

std::vector<WritableLayer> LayersOf(const InferenceConfig& config,
                                    const std::filesystem::path& folder) {
  std::vector<WritableLayer> layers;
  std::vector<std::string> paths = config.writable_paths;
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const auto lies_in = [&](const std::string& parent) {
      return path == parent || path.starts_with(parent + "/");
    };
    const bool writable =
        lies_in("/tmp") || lies_in(kModelHome) ||
        std::any_of(layers.begin(), layers.end(),
                    [&](const WritableLayer& layer) { return lies_in(layer.inside); });
    if (writable) continue;
    const std::string number = std::to_string(layers.size());
    layers.push_back({path, folder / ("layer-" + number), folder / ("work-" + number)});
  }
  return layers;
}

SandboxPlan ModelPlan(const LaunchRequest& request, const ModelPlaces& places, Apart apart,
                      int host_cores, const ListFolder& list) {
  SandboxPlan plan;
  if (places.cgroup != nullptr) plan.cgroups = places.cgroup->Folders();
  plan.cores = ParseCpuset(request.cpuset);
  if (plan.cores.empty()) {
    // The server itself may be kept to some of them.
    plan.cores.resize(static_cast<std::size_t>(std::max(1, host_cores)));
    std::iota(plan.cores.begin(), plan.cores.end(), 0);
  }
  plan.environment = {kPath};
  plan.network = !HasOwnNetwork(request.config, apart);
  plan.user_namespace = apart == Apart::kAsUser;
  if (apart == Apart::kNot) {
    plan.command = {places.agent.string(), "--socket-fd", std::to_string(kSandboxLinkFd)};
  } else {
    plan.root = (places.folder / kRootFolder).string();
    // The machine's own names another host. Laid over it where there is one, so that no entry of
    // /etc has to be shown by itself.
    const OwnPlace hosts{Kind::kReadOnly, (places.folder / kHostsFile).string(), "/etc/hosts"};
    const bool over = HostHas(hosts.inside, HostEntry::Kind::kFile, list);
    std::vector<OwnPlace> own = PlacesOf(request, places, apart, list);
    if (!over) own.push_back(hosts);
    plan.steps = RootSteps(own, list);
    if (over) plan.steps.push_back({hosts.kind, hosts.here, hosts.inside});
    Hide(places.data, plan.steps);
    plan.host_name = kModelHostName;
    plan.command = {kAgentProgram, "--socket-fd", std::to_string(kSandboxLinkFd)};
  }
  if (places.cgroup == nullptr) plan.command.emplace_back("--process-tree");
  return plan;
}

StartPlacement PlacementOf(const ModelPlaces& places, Apart apart) {
  StartPlacement placement;
  if (!places.environment.empty()) placement.more_to_forget = {kEnvironmentFolder};
  if (apart != Apart::kNot) return placement;
  const std::filesystem::path inside = places.folder / kInsideFolder;
  if (!places.environment.empty()) {
    placement.places.emplace_back(kEnvironmentFolder, places.environment.string());
    placement.more_to_forget = {places.environment.string()};
  }
  placement.places.emplace_back(kAgentProgram, places.agent.string());
  placement.places.emplace_back(kModelHome, (places.folder / kHomeFolder).string());
  for (const auto& [here, path] : places.inputs) {
    placement.places.emplace_back(path, inside.string() + path);
  }
  placement.places.emplace_back(kModelsMount, inside.string() + kModelsMount);
  placement.temporary = (places.folder / kTmpFolder).string();
  return placement;
}

}  // namespace mlprof::server::process
