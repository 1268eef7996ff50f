// What the files of the profile repository share. Every call is part of the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/domain/profile.h"
#include "common/result/result.h"
#include "server/storage/statement.h"

namespace mlprof::server {

/// The profile of a row whose columns are: document, id, workspace, state, whether the checksum is
/// right. kInternal for a damaged one.
Result<Profile> ReadProfileRow(const Statement& row);
/// By id, else the newest run of the name; nullopt when there is none.
Result<std::optional<Profile>> FindProfile(Connection& connection, const std::string& workspace,
                                           const std::string& name_or_id);
/// A new one, with its models. kConflict where its name is in use and `allow_more_runs` is false;
/// kInvalidArgument for a source that is not there.
Status AddProfile(Connection& connection, const Profile& profile, bool allow_more_runs);
/// kNotFound in the words every method uses.
Error NoSuchProfile(const std::string& name_or_id);

}  // namespace mlprof::server
