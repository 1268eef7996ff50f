// Which version `delete` removes. A bare name means the newest one: it is named, and a person at a
// terminal is asked first where there are others, which would stay and be the newest then.
#pragma once

#include <string>
#include <vector>

#include "client/cli/options.h"
#include "client/cli/session.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// --yes
OptionSpec YesOption();

/// The id to delete. kNotFound for an unknown one; kCancelled where the caller said no.
Result<std::string> ModelToDelete(Session& session, Client& client, const Options& options,
                                  const std::string& value);
Result<std::string> DatasetToDelete(Session& session, Client& client, const Options& options,
                                    const std::string& value);

}  // namespace mlprof::client::cli
