// `--add-tag` of `mlprof ml model profile`: tags the profiled models get, with values given or
// taken from the profile; and the figures of a profile that a tag may take.
#pragma once

#include <string>

#include "client/cli/options.h"
#include "client/cli/session.h"
#include "common/domain/profile.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// kInvalidArgument for a tag without a value that is no figure of a profile.
Status CheckProfileTags(const Options& options);

/// `azure_profile` is the profile in Azure's shape. No model is tagged where there is no answer,
/// and no tag is written whose figure the profile does not have.
Status AddProfileTags(Session& session, Client& client, const Options& options,
                      const Profile& profile, const Json& azure_profile);

/// Whether `name` is a figure of a profile in Azure's spelling: a key of what `az ml model profile`
/// prints; Microsoft's page also spells "…InGb".
bool IsProfileFigure(const std::string& name);
/// The value of that key as the text of a tag; "" where it has none.
std::string ProfileFigure(const Json& azure_profile, const std::string& name);

}  // namespace mlprof::client::cli
