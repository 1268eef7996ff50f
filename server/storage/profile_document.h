// A profile as the database keeps it: what the REST interface shows of it, and what is the server's
// own. Pure.
#pragma once

#include <string>

#include "common/domain/profile.h"
#include "common/result/result.h"

namespace mlprof::server {

std::string ProfileDocument(const Profile& profile);
/// Those of former versions as well, which kept no reruns but as their warnings. An error says what
/// is damaged.
Result<Profile> ReadProfileDocument(const std::string& document);

}  // namespace mlprof::server
