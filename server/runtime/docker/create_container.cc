#include "server/runtime/docker/create_container.h"

#include "common/log/log.h"
#include "server/runtime/docker/container_spec.h"

namespace mlprof::docker {
namespace {

constexpr std::chrono::seconds kCallLimit{30};

Status RemoveLeftover(DockerContext& context, const std::string& name, const Error& conflict,
                      Deadline deadline) {
  const Result<ContainerState> leftover =
      context.engine.InspectContainer(name, deadline.AtMost(kCallLimit));
  if (!leftover && leftover.error().code() == ErrorCode::kNotFound) return Fail(conflict);
  if (!leftover) return Fail(leftover.error());
  const auto label = leftover->labels.find(kInstanceLabel);
  if (label == leftover->labels.end() || label->second != context.options.instance_id) {
    return Fail(Conflict("a container named " + name +
                         " exists that is not of this installation; remove or rename it (`docker "
                         "rename`)"));
  }
  LogWarn("a left-over container is removed", {{"container", name}});
  return context.engine.Remove(leftover->id, deadline.AtMost(kCallLimit));
}

}  // namespace

Result<std::string> CreateReplacingLeftover(DockerContext& context, const std::string& name,
                                            const Json& spec, Deadline deadline) {
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    Result<std::string> id =
        context.engine.CreateContainer(name, spec, deadline.AtMost(kCallLimit));
    if (id || attempt == kAttempts) return id;
    const ErrorCode code = id.error().code();
    if (code != ErrorCode::kConflict && code != ErrorCode::kUnavailable) return id;
    if (code != ErrorCode::kConflict) continue;
    if (const Status removed = RemoveLeftover(context, name, id.error(), deadline); !removed) {
      return Fail(removed.error());
    }
  }
}

bool IsUnseen(const Error& error, const std::filesystem::path& mounted) {
  const std::string& message = error.message();
  return message.find("bind source path does not exist") != std::string::npos &&
         message.find(mounted.string() + "/") != std::string::npos;
}

}  // namespace mlprof::docker
