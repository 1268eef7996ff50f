#include "server/runtime/docker/remove_container.h"

#include "common/log/log.h"
#include "server/runtime/docker/container_spec.h"
#include "server/runtime/docker/lost_container.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::seconds kScratchMoment{2};

Status RemoveOwn(DockerContext& context, const std::string& name, const std::string& id,
                 const Patience& patience) {
  if (!id.empty()) return context.engine.Remove(id, patience);
  const Result<std::string> found = FindOwn(context, name, patience);
  if (found) return context.engine.Remove(*found, patience);
  const ErrorCode code = found.error().code();
  if (code == ErrorCode::kNotFound || code == ErrorCode::kConflict) return {};
  return Fail(found.error());
}

}  // namespace

Result<std::string> FindOwn(DockerContext& context, const std::string& name,
                            const Patience& patience) {
  const Result<ContainerState> found = context.engine.InspectContainer(name, patience);
  if (!found) return Fail(found.error());
  const auto label = found->labels.find(kInstanceLabel);
  if (label != found->labels.end() && label->second == context.options.instance_id) {
    return found->id;
  }
  return Fail(Conflict("a container named " + name +
                       " exists that is not of this installation; remove or rename it (`docker "
                       "rename`)"));
}

Status RemoveOrLose(DockerContext& context, const std::string& name, const std::string& id,
                    const Patience& patience) {
  Status removed = RemoveOwn(context, name, id, patience);
  if (!removed && patience.stop.stop_requested()) {
    removed = RemoveOwn(context, name, id, Deadline::After(kRemovalAfterStop));
  }
  if (removed) return {};
  // Its processes must not go on taking CPU and memory, whatever is wrong with the engine: they are
  // killed without it. The container itself carries our label, and is removed as an orphan later.
  LogError("lost a container: Docker does not remove it",
           {{"container", name},
            {"id", id},
            {"killedProcesses", KillThroughCgroup(id)},
            {"why", removed.error().message()}});
  return removed;
}

Patience ForScratch(Deadline deadline, const std::stop_token& stop) {
  const Deadline moment = Deadline::After(kScratchMoment);
  if (stop.stop_requested() || deadline.when() < moment.when()) return moment;
  return {deadline, stop};
}

}  // namespace mlprof::server::docker
