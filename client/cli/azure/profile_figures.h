// The figures of a profile in Azure's spelling, as tags take them.
#pragma once

#include <string>

#include "common/json/json.h"

namespace mlprof::client::cli {

/// Whether `name` is a key of what `az ml model profile` prints; Microsoft's page also spells
/// "…InGb".
bool IsProfileFigure(const std::string& name);
/// The value of that key as the text of a tag; "" where it has none.
std::string ProfileFigure(const Json& azure_profile, const std::string& name);

}  // namespace mlprof::client::cli
