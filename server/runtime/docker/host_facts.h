// The machine that the engine and all its containers run on.
#pragma once

#include "common/domain/profile.h"
#include "common/result/result.h"
#include "common/time/patience.h"
#include "server/runtime/docker/docker_context.h"

namespace mlprof::server::docker {

/// As the engine describes it now, which is work for it.
Result<HostFacts> AskForHost(DockerContext& context, const Patience& patience);

/// As the engine described it last; asks where it never has.
Result<HostFacts> KnownHost(DockerContext& context, const Patience& patience);

}  // namespace mlprof::server::docker
