// A line on stderr for uploads that take longer than a moment.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/cli/surroundings.h"
#include "common/units/bytes.h"

namespace mlprof::client::cli {

/// For Upload::on_progress. On a terminal one line that is redrawn, elsewhere one line in all; none
/// for what takes less than a second.
std::function<void(Bytes sent, Bytes total)> UploadProgress(const std::string& what,
                                                            Surroundings& surroundings);

}  // namespace mlprof::client::cli
