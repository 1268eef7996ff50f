// A profile in the shape of azureml-core's ModelProfile.serialize(): every key is there, null where
// there is nothing to say.
#pragma once

#include <string>

#include "common/domain/profile.h"
#include "common/json/json.h"

namespace mlprof::cli {

/// `asked` is what the caller gave: its requestedCpu and requestedMemoryInGB, and the answer where
/// nothing was given. `logs_uri` is told where the profile failed; "" is none.
Json AzureProfileJson(const Profile& profile, const Ceiling& asked, const std::string& logs_uri);

/// Whether `name` is a key of that shape; Microsoft's page also spells "…InGb".
bool IsProfileFigure(const std::string& name);
/// The value of that key as the text of a tag; "" where it has none.
std::string ProfileFigure(const Json& azure_profile, const std::string& name);

}  // namespace mlprof::cli
