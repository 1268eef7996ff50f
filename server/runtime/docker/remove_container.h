// Removing a container of this installation, with the engine where it answers and without it where
// it does not.
#pragma once

#include <string>

#include "common/time/patience.h"
#include "server/runtime/docker/docker_context.h"

namespace mlprof::server::docker {

/// What the engine still gets once a run is stopped, for the removal of its container.
inline constexpr std::chrono::seconds kRemovalAfterStop{3};

/// The id of the container of this name. kNotFound where there is none, kConflict where it is of
/// somebody else.
Result<std::string> FindOwn(DockerContext& context, const std::string& name,
                            const Patience& patience);

/// Removes the container `name`; success also where there is none. `id` is "" where the answer to
/// its create was lost: then it is found by its name. Waits as long as `patience`, but when its
/// caller gives up, or has, only kRemovalAfterStop more. What the engine does not remove has its
/// processes killed through their cgroup and is left to be removed as an orphan; the error says
/// why.
Status RemoveOrLose(DockerContext& context, const std::string& name, const std::string& id,
                    const Patience& patience);

/// For the removal of a container's scratch after the container's own: what is left of `deadline`,
/// a moment where that or the run's end has come.
Patience ForScratch(Deadline deadline, const std::stop_token& stop);

}  // namespace mlprof::server::docker
