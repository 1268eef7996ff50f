// The parts of a profile request that the profile resource repeats "as they were resolved".
#pragma once

#include "common/domain/profile.h"
#include "common/json/json_reader.h"

namespace mlprof {

/// Reads the request's members of `reader`'s object; problems go to the reader's list.
ProfileRequest ReadProfileRequest(JsonReader& reader);

/// Adds the request's members to `json`, an object.
void EncodeProfileRequestInto(Json& json, const ProfileRequest& request);

}  // namespace mlprof
