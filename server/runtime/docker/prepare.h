// Makes the image of a profile ready: found, pulled, or built of base and packages.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "server/runtime/docker/docker_context.h"
#include "server/runtime/environment/secret_mask.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::docker {

/// One call a preparation needs to pass around.
struct PrepareContext {
  DockerContext& docker;
  const PrepareOutput& output;  // takes what is masked only
  const environment::SecretMask& secrets;
  std::stop_token stop;
  Deadline deadline;

  /// For one call of it.
  Patience AtMost(Deadline::Clock::duration wait) const {
    return Patience(deadline, stop).AtMost(wait);
  }
  Patience patience() const { return {deadline, stop}; }

  void Say(const std::string& line) const { output(secrets.Masked(line) + "\n"); }
};

Result<PreparedImage> PrepareImage(DockerContext& docker, const PrepareRequest& request,
                                   const PrepareOutput& output, std::stop_token stop,
                                   Deadline deadline);

/// The image form: local, else pulled.
Result<PreparedImage> PrepareNamedImage(const PrepareContext& context,
                                        const std::string& reference);

/// The entry-script form: base image and packages, once per content.
Result<PreparedImage> PrepareEnvironment(const PrepareContext& context,
                                         const PrepareRequest& request);

/// Local, else pulled. kNotFound where no registry gives it, kUnavailable where the engine left.
Result<ImageInfo> FindOrPull(const PrepareContext& context, const std::string& reference);

}  // namespace mlprof::server::docker
