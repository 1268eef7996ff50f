// The image that entry-script environments start from.
#pragma once

#include <string_view>
#include <vector>

#include "server/runtime/docker/engine_values.h"
#include "server/runtime/docker/prepare.h"

namespace mlprof::server::docker {

/// Local, else made from Debian packages (deploy/base-image/build) and imported.
inline constexpr const char* kOwnBaseRepository = "mlprof-base";
inline constexpr const char* kOwnBaseTag = "1";  // counts up with what the script puts in

struct BaseImage {
  ImageInfo image;
  std::vector<Warning> warnings;
};

/// The config's base image, else the server's, else mlprof's own. A config's that cannot be had is
/// replaced by mlprof's own, with a warning.
Result<BaseImage> FindBaseImage(const PrepareContext& context, const std::string& asked);

/// The text of deploy/base-image/build, which is part of this program.
std::string_view BaseImageScript();

}  // namespace mlprof::server::docker
