// The body of POST /profiles, and the objective that other requests hold as well.
#pragma once

#include "common/domain/profile.h"
#include "common/json/json.h"

namespace mlprof::client {

/// What the caller left open is left out, so that the server's defaults hold.
Json ObjectiveToSend(const Objective& objective);
Json EncodeProfileRequest(const ProfileRequest& request);

}  // namespace mlprof::client
