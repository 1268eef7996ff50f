// Why a profile has no answer, or one with a reservation, in the two ways that Azure ML's clients
// say it: the SDK shows the message alone, so all of it stands there; `az` prints the details as
// well. Pure.
#pragma once

#include "common/domain/profile.h"
#include "common/json/json.h"

namespace mlprof::server {

/// null while it runs and where nothing is to be said.
Json SdkProfileError(const Profile& profile);
/// Of one that failed or timed out.
Json SdkProfileFailure(const Profile& profile);

/// null likewise.
Json AzProfileError(const Profile& profile);

}  // namespace mlprof::server
