// A profile as `az ml model profile` prints it, which is azureml-core's ModelProfile.serialize():
// the answer that the SDK is given, laid flat. Pure.
#pragma once

#include "common/domain/profile.h"
#include "common/json/json.h"

namespace mlprof::server {

/// Every key is there, null where there is nothing to say. `asked` is the
/// containerResourceRequirements that an Azure route was given, null where none was: then the
/// profile's own ceiling is. Its errorLogsUri is a path on this server.
Json EncodeAzProfile(const Profile& profile, const Json& asked);

}  // namespace mlprof::server
