// The help texts, made of the commands' descriptions.
#pragma once

#include <string>

#include "client/cli/command.h"

namespace mlprof::client::cli {

std::string HelpOf(const Command& command);
/// Every command whose path begins with `group`; all for "".
std::string HelpOfGroup(const std::string& group);

}  // namespace mlprof::client::cli
