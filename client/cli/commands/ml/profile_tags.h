// `--add-tag` of `mlprof ml model profile`: tags the profiled models get, with values given or
// taken from the profile.
#pragma once

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

}  // namespace mlprof::client::cli
