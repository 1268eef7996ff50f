// A profile as a person wants to see it: the two numbers first, then why, what was measured, what
// to mind and where to look next.
#pragma once

#include <string>

#include "common/domain/profile.h"

namespace mlprof::client::cli {

std::string ProfileDetails(const Profile& profile);

}  // namespace mlprof::client::cli
